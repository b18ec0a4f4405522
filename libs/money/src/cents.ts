declare const brand: unique symbol;

/** An amount of money in whole euro cents: a safe integer, negative only where a difference is meant. */
export type Cents = number & { readonly [brand]: 'Cents' };

/** Refuses with a RangeError what is not a safe integer: fractions, NaN, infinities and anything above 2^53 - 1. */
export function cents(amount: number): Cents {
  if (!Number.isSafeInteger(amount)) throw new RangeError(`not a whole number of cents: ${amount}`);
  return amount as Cents;
}

export const NO_CENTS = cents(0);

/** Sum of two amounts; a sum that is not a safe integer is refused with a RangeError. */
export function plus(a: Cents, b: Cents): Cents {
  return cents(a + b);
}

/** Difference of two amounts; refused with a RangeError when it is not a safe integer. */
export function minus(a: Cents, b: Cents): Cents {
  return cents(a - b);
}

/** An amount taken a whole number of times; a fraction of times, or an unsafe product, is refused with a RangeError. */
export function times(amount: Cents, count: number): Cents {
  if (!Number.isSafeInteger(count)) throw new RangeError(`not a whole number of times: ${count}`);
  return cents(amount * count);
}

/** `1234` → `12.34`: two decimals, a point, no currency; for terminals, logs and files, not for screens. */
export function formatEuros(amount: Cents): string {
  const digits = String(Math.abs(amount)).padStart(3, '0');
  return `${amount < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** `12.34`, `12.3` or `12` → 1234; anything else, a negative amount included, is refused with a RangeError. */
export function parseEuros(text: string): Cents {
  const parts = /^(\d{1,13})(?:\.(\d{1,2}))?$/.exec(text);
  if (!parts) throw new RangeError(`not an amount in euros: ${JSON.stringify(text)}; write it like 1.00`);
  return cents(Number(parts[1]) * 100 + Number((parts[2] ?? '').padEnd(2, '0')));
}
