import { type Cents, parseEuros } from '#money';
import { Failure } from '../failure.ts';

/** A stake as it is typed, `1.00`, in cents; what is no amount is a Failure of the words. */
export function stakeOf(text: string): Cents {
  try {
    return parseEuros(text);
  } catch (error) {
    throw new Failure((error as Error).message, 2);
  }
}
