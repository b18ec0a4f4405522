/** SHA-256 in lower-case hex. */
export const SHA_256 = /^[0-9a-f]{64}$/;

/** The name of a game or of a way to play it. */
export const NAME = /^[a-z][a-z0-9-]{0,31}$/;
