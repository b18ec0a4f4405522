import { NAME } from '#contracts/http';
import { requestHash } from '#event-sourcing';
import type { FieldError } from '#service';
import { bodyInvalid, Problem } from '#service';
import type { Catalog } from '../games/catalog.ts';

/** A play that may be passed on: the game has this stake and this way to play. */
export interface PlayRequest {
  readonly game: string;
  readonly stakeCents: number;
  /** Null where the game has one way to play. */
  readonly mode: string | null;
  /** The newest regulation of the game. */
  readonly regulation: string;
  /** SHA-256 of route and canonical body. */
  readonly requestHash: string;
}

const MEMBERS = new Set(['game', 'stakeCents', 'mode']);

/**
 * Reads the body of POST /plays, by the rules of PlaceablePlay and without a validator's cost on every play.
 * 400 `body-invalid`, 404 `game-unknown`, 400 `stake-unknown` (REG-2.2) or 400 `mode-unknown`.
 */
export function readPlayRequest(body: unknown, catalog: Catalog): PlayRequest {
  const { game: name, stakeCents, mode } = formOf(body);
  const game = catalog.games.get(name);
  if (game === undefined)
    throw new Problem(404, 'game-unknown', 'No game has this name; GET /api/v1/games lists them.');
  if (!game.stakesCents.has(stakeCents)) {
    const stakes = [...game.stakesCents].join(', ');
    throw new Problem(400, 'stake-unknown', `The stakes of this game, in cents, are ${stakes}.`);
  }
  if (mode !== undefined && !game.modes.includes(mode)) {
    const modes =
      game.modes.length === 0
        ? 'This game has one way to play; leave mode out.'
        : `The modes of this game are ${game.modes.join(', ')}.`;
    throw new Problem(400, 'mode-unknown', modes);
  }
  return {
    game: name,
    stakeCents,
    mode: mode ?? game.modes[0] ?? null,
    regulation: game.regulation.id,
    requestHash: requestHash('POST /plays', { game: name, ...(mode === undefined ? {} : { mode }), stakeCents }),
  };
}

interface Form {
  readonly game: string;
  readonly stakeCents: number;
  readonly mode?: string;
}

function formOf(body: unknown): Form {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw bodyInvalid([{ path: '', message: 'the body must be a JSON object' }]);
  }
  const { game, stakeCents, mode } = body as Record<string, unknown>;
  const errors: FieldError[] = [];
  if (typeof game !== 'string' || !NAME.test(game))
    errors.push({ path: 'game', message: 'game must be the name of a game' });
  if (typeof stakeCents !== 'number' || !Number.isSafeInteger(stakeCents) || stakeCents < 1) {
    errors.push({ path: 'stakeCents', message: 'stakeCents must be a whole number of cents above 0' });
  }
  if (mode !== undefined && (typeof mode !== 'string' || !NAME.test(mode))) {
    errors.push({ path: 'mode', message: 'mode must be the name of a mode' });
  }
  for (const member in body) {
    if (!MEMBERS.has(member)) errors.push({ path: member, message: `property ${member} should not exist` });
  }
  if (errors.length > 0) throw bodyInvalid(errors);
  return body as Form;
}
