import { concat, idBytes, toHex, utf8 } from './bytes.ts';
import { sha256 } from './digest.ts';

/** Whose play a receipt is, without naming him: SHA-256("enjeu-holder/1" ‖ play id ‖ player id), hex. */
export function holderOf(playId: string, playerId: string): string {
  return toHex(sha256(concat(utf8('enjeu-holder/1'), idBytes(playId), idBytes(playerId))));
}
