/**
 * Every problem that the public API answers: its HTTP status, and what it means to whoever gets it. The problem's `type`
 * is `urn:enjeu:problem:` and the name. A name never changes its status or meaning.
 */
export const problems = {
  'bad-request': { status: 400, meaning: 'Address, headers or framing of the request cannot be read.' },
  'body-invalid': { status: 400, meaning: 'The body is not of the form that this route takes; `errors` says where.' },
  'idempotency-key-invalid': { status: 400, meaning: 'The header Idempotency-Key is missing or is not a UUID.' },
  'stake-unknown': { status: 400, meaning: 'The game has no such stake. Nothing was debited.' },
  'mode-unknown': { status: 400, meaning: 'The game has no such way to play. Nothing was debited.' },
  'token-missing': { status: 401, meaning: 'This route wants an access token as `Authorization: Bearer …`.' },
  'token-refused': { status: 401, meaning: 'The access token is expired, forged, or meant for somebody else.' },
  'wrong-token-kind': {
    status: 403,
    meaning: 'The token is an operator’s where a player’s is wanted, or the reverse.',
  },
  'route-unknown': { status: 404, meaning: 'There is nothing at this address for this method.' },
  'game-unknown': { status: 404, meaning: 'No game has this name.' },
  'regulation-unknown': { status: 404, meaning: 'No regulation has this id.' },
  'no-account': { status: 404, meaning: 'The caller has not opened an account yet.' },
  'play-unknown': { status: 404, meaning: 'The play does not exist, or is another player’s.' },
  'no-play-yet': { status: 404, meaning: 'The player has never played.' },
  'block-unknown': { status: 404, meaning: 'No block with this id has been committed.' },
  'request-too-slow': { status: 408, meaning: 'The request did not arrive in time.' },
  'account-unknown': { status: 409, meaning: 'The caller has to open an account before this.' },
  'sale-not-open': { status: 409, meaning: 'The game is not on sale at this stake. Nothing was debited.' },
  'sale-suspended': { status: 409, meaning: 'The sale is interrupted; `notice` says why. Nothing was debited.' },
  'sale-closed': { status: 409, meaning: 'The sale has ended. Nothing was debited.' },
  'regulation-not-accepted': {
    status: 409,
    meaning: 'A regulation has to be accepted first; `regulation` names it. Nothing was debited.',
  },
  'balance-too-low': { status: 409, meaning: 'The available balance is below the stake. Nothing was debited.' },
  'play-not-settled': { status: 409, meaning: 'A play cannot have been shown to the end before it has its outcome.' },
  'play-refunded': {
    status: 409,
    meaning: 'The play got no unit: its stake was refunded, and there is nothing to prove.',
  },
  'body-too-large': { status: 413, meaning: 'The body is larger than 1 MB.' },
  'content-type-unsupported': { status: 415, meaning: 'Bodies are taken as application/json only.' },
  'idempotency-key-reused': { status: 422, meaning: 'The idempotency key was used before for another request.' },
  'headers-too-large': { status: 431, meaning: 'The headers are too large.' },
  'internal-error': { status: 500, meaning: 'Something failed here and has been logged.' },
  'not-ready': { status: 503, meaning: 'The service is starting or stopping; try again after Retry-After seconds.' },
  unavailable: {
    status: 503,
    meaning: 'A part that this answer needs is away; nothing was changed, try again after Retry-After seconds.',
  },
  'wallet-away': { status: 503, meaning: 'What the wallet knows is needed for this answer, and it is away.' },
  'issuance-away': { status: 503, meaning: 'What issuance knows is needed for this answer, and it is away.' },
  'history-away': { status: 503, meaning: 'What the history knows is needed for this answer, and it is away.' },
  'history-behind': { status: 503, meaning: 'The history has not caught up with the player’s newest plays yet.' },
  'issuer-away': { status: 503, meaning: 'The keys that access tokens are checked with cannot be fetched.' },
  'too-busy': { status: 503, meaning: 'Too many plays are under way; nothing was debited.' },
  'stake-failed': { status: 503, meaning: 'The stake could not be decided; nothing was debited.' },
  'outcome-unknown': {
    status: 503,
    meaning: 'It is not known whether the stake was debited; repeat the request with the same idempotency key.',
  },
  'outcomes-delayed': { status: 503, meaning: 'Plays are settled late at the moment; nothing was debited.' },
  'play-pending': {
    status: 503,
    meaning: 'An earlier play of this player waits for its outcome; nothing was debited.',
  },
} as const satisfies Record<string, { readonly status: number; readonly meaning: string }>;

export type ProblemName = keyof typeof problems;
