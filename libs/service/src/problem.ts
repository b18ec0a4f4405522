import { STATUS_CODES } from 'node:http';

export interface ProblemOptions {
  /** Further members of the problem object, such as `errors`. */
  readonly members?: Readonly<Record<string, unknown>>;
  /** Response headers, such as `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** What a request ends with when it fails: an RFC 9457 problem. Throw it anywhere below a controller. */
export class Problem extends Error {
  readonly members: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  /**
   * @param status HTTP status, 400 to 599
   * @param problem stable name, the last part of `urn:enjeu:problem:<name>`
   * @param detail a sentence for whoever reads the answer: what to do
   */
  constructor(
    readonly status: number,
    readonly problem: string,
    readonly detail: string,
    options: ProblemOptions = {},
  ) {
    super(`${problem}: ${detail}`, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Problem';
    this.members = options.members ?? {};
    this.headers = options.headers ?? {};
  }

  /** The body, as `application/problem+json` carries it. */
  toBody(): ProblemBody {
    return {
      type: `urn:enjeu:problem:${this.problem}`,
      title: STATUS_CODES[this.status] ?? 'Error',
      status: this.status,
      detail: this.detail,
      ...this.members,
    };
  }
}

export interface ProblemBody {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly [member: string]: unknown;
}

/** 503 that asks to come back: nothing was done. */
export function unavailable(problem: string, detail: string, retryAfter_s = 1): Problem {
  return new Problem(503, problem, detail, { headers: { 'retry-after': String(retryAfter_s) } });
}
