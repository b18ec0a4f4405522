/** A lower-case UUID of any version. */
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** SHA-256 in lower-case hex. */
export const SHA_256 = /^[0-9a-f]{64}$/;

/** One to 255 characters that JSON and PostgreSQL keep as they are: no control character, no half of a surrogate pair. */
export const LINE = /^[^\p{Cc}\p{Cs}]{1,255}$/u;

/** The name of a game or of a way to play it. */
export const NAME = /^[a-z][a-z0-9-]{0,31}$/;
