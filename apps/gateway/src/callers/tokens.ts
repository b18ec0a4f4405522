import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { LINE, Problem } from '#service';
import type { Identity } from '../peers/wallet.ts';

export interface TokensOptions {
  /** Who issues tokens, exactly as `iss` names it; below it stands `/.well-known/openid-configuration`. */
  readonly issuer: string;
  /** Whom the tokens are for: `aud`. */
  readonly audience: string;
  /** Tokens remembered at most. Default 10,000. */
  readonly remembered?: number;
  readonly now?: () => number;
}

/** Whom a token speaks of, and until when. */
export interface Verified extends Identity {
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

const CLOCK_TOLERANCE_S = 5;
const DISCOVERY_TIMEOUT_MS = 3_000;

/** Access tokens of players, checked against the issuer's key set; each once, then remembered until it expires. */
export class Tokens {
  readonly #options: TokensOptions;
  readonly #remembered: number;
  readonly #now: () => number;
  readonly #verified = new Map<string, Promise<Verified>>();
  #keys: Promise<JWTVerifyGetKey> | null = null;

  constructor(options: TokensOptions) {
    this.#options = options;
    this.#remembered = options.remembered ?? 10_000;
    this.#now = options.now ?? Date.now;
  }

  /**
   * The player that an `Authorization: Bearer …` header speaks of. 401 `token-missing` or `token-refused`, 403
   * `wrong-token-kind` for an operator's, 503 `issuer-away` where the keys cannot be fetched.
   */
  async verify(authorization: string | undefined): Promise<Verified> {
    const token = /^Bearer +([^\s]+)$/i.exec(authorization ?? '')?.[1];
    if (token === undefined) throw tokenMissing();
    const verified = await (this.#verified.get(token) ?? this.#remember(token));
    if (verified.expiresAt > this.#now()) return verified;
    this.#verified.delete(token);
    throw tokenRefused('it has expired');
  }

  #remember(token: string): Promise<Verified> {
    const verifying = this.#check(token);
    this.#verified.set(token, verifying);
    verifying.catch(() => this.#verified.delete(token));
    for (const oldest of this.#verified.keys()) {
      if (this.#verified.size <= this.#remembered) break;
      this.#verified.delete(oldest);
    }
    return verifying;
  }

  async #check(token: string): Promise<Verified> {
    const { issuer, audience } = this.#options;
    const payload = await this.#payloadOf(token);
    if (payload['kind'] !== 'player') throw wrongKind();
    if (payload.sub === undefined || !LINE.test(payload.sub)) throw tokenRefused(`it names no player of ${audience}`);
    return { issuer, subject: payload.sub, expiresAt: (payload.exp as number) * 1_000 };
  }

  async #payloadOf(token: string): Promise<JWTPayload> {
    const { issuer, audience } = this.#options;
    try {
      const { payload } = await jwtVerify(token, await this.#issuerKeys(), {
        issuer,
        audience,
        requiredClaims: ['exp', 'sub'],
        clockTolerance: CLOCK_TOLERANCE_S,
        currentDate: new Date(this.#now()),
      });
      return payload;
    } catch (error) {
      throw isFaultOfToken(error) ? tokenRefused(error.message) : issuerAway(error);
    }
  }

  /** Found at the first token, and again after a failure: the issuer may start later than this. */
  #issuerKeys(): Promise<JWTVerifyGetKey> {
    if (this.#keys === null) {
      this.#keys = discoverKeys(this.#options.issuer);
      this.#keys.catch(() => {
        this.#keys = null;
      });
    }
    return this.#keys;
  }
}

async function discoverKeys(issuer: string): Promise<JWTVerifyGetKey> {
  const response = await fetch(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, {
    signal: AbortSignal.timeout(DISCOVERY_TIMEOUT_MS),
  });
  if (!response.ok) throw new Error(`the issuer's configuration answered ${response.status}`);
  const configuration = (await response.json()) as { issuer?: unknown; jwks_uri?: unknown };
  if (configuration.issuer !== issuer) throw new Error(`the issuer calls itself ${String(configuration.issuer)}`);
  return createRemoteJWKSet(new URL(String(configuration.jwks_uri)), { timeoutDuration: DISCOVERY_TIMEOUT_MS });
}

/** True for what only another token can mend; the rest is the issuer's, or the way to it. */
function isFaultOfToken(error: unknown): error is Error {
  return (
    error instanceof errors.JWTExpired ||
    error instanceof errors.JWTClaimValidationFailed ||
    error instanceof errors.JWTInvalid ||
    error instanceof errors.JWSInvalid ||
    error instanceof errors.JWSSignatureVerificationFailed ||
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JOSEAlgNotAllowed ||
    error instanceof errors.JOSENotSupported
  );
}

function tokenMissing(): Problem {
  return new Problem(401, 'token-missing', 'Send an access token as `Authorization: Bearer …`.', {
    headers: { 'www-authenticate': 'Bearer' },
  });
}

function tokenRefused(why: string): Problem {
  return new Problem(401, 'token-refused', `The access token was refused: ${why}.`, {
    headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
  });
}

function wrongKind(): Problem {
  return new Problem(403, 'wrong-token-kind', 'This token is no player’s; players’ routes want a player’s token.');
}

function issuerAway(cause: unknown): Problem {
  return new Problem(503, 'issuer-away', 'The keys of the token’s issuer cannot be fetched; try again shortly.', {
    headers: { 'retry-after': '2' },
    cause,
  });
}
