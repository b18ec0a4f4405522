import { Pool } from 'undici';
import { currentTraceparent } from './trace.ts';

/** The other service answered with a problem. `problem` is its name, without `urn:enjeu:problem:`. */
export class InternalProblem extends Error {
  constructor(
    readonly status: number,
    readonly problem: string,
    readonly detail: string,
    readonly body: Readonly<Record<string, unknown>>,
  ) {
    super(`${status} ${problem}: ${detail}`);
    this.name = 'InternalProblem';
  }
}

/** No answer: refused, reset, timed out, or not an answer of ours. Whether the request was carried out is unknown. */
export class Unreachable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'Unreachable';
  }
}

export interface InternalClientOptions {
  /** How long a call may take, its wait for a connection included, before it is `Unreachable`. Default 5,000. */
  readonly timeout_ms?: number;
  /** Connections at most; further calls queue. Default 16. */
  readonly connections?: number;
}

export interface CallOptions {
  readonly timeout_ms?: number;
}

/** Calls another service's `/internal/v1` over kept connections. */
export class InternalClient {
  readonly #pool: Pool;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #timeout_ms: number;

  /** @param baseUrl of the service, `http://127.0.0.1:3101` */
  constructor(
    readonly baseUrl: string,
    serviceToken: string,
    options: InternalClientOptions = {},
  ) {
    this.#timeout_ms = options.timeout_ms ?? 5_000;
    this.#pool = new Pool(new URL(baseUrl).origin, {
      connections: options.connections ?? 16,
      pipelining: 1,
      connect: { timeout: 2_000 },
    });
    this.#headers = { authorization: `Bearer ${serviceToken}`, accept: 'application/json' };
  }

  /** GET `/internal/v1<path>`. Rejects with InternalProblem or Unreachable. */
  get<Answer>(path: string, options: CallOptions = {}): Promise<Answer> {
    return this.#call<Answer>('GET', path, null, options);
  }

  /** POST a JSON body to `/internal/v1<path>`. Rejects with InternalProblem or Unreachable. */
  post<Answer>(path: string, body: unknown, options: CallOptions = {}): Promise<Answer> {
    return this.#call<Answer>('POST', path, JSON.stringify(body), options);
  }

  /** Ends the connections once their calls are answered. */
  close(): Promise<void> {
    return this.#pool.close();
  }

  async #call<Answer>(method: 'GET' | 'POST', path: string, body: string | null, options: CallOptions) {
    const { status, text } = await this.#request(method, path, body, options.timeout_ms ?? this.#timeout_ms);
    const answer = this.#parse(path, status, text);
    if (status < 300) return answer as Answer;
    throw asProblem(status, answer);
  }

  async #request(method: 'GET' | 'POST', path: string, body: string | null, timeout_ms: number) {
    const traceparent = currentTraceparent();
    const headers: Record<string, string> = { ...this.#headers };
    if (body !== null) headers['content-type'] = 'application/json';
    if (traceparent !== null) headers['traceparent'] = traceparent;
    try {
      const response = await this.#pool.request({
        method,
        path: `/internal/v1${path}`,
        headers,
        body,
        signal: AbortSignal.timeout(timeout_ms),
      });
      return { status: response.statusCode, text: await response.body.text() };
    } catch (error) {
      throw new Unreachable(`${method} ${this.baseUrl}/internal/v1${path}: ${messageOf(error)}`, { cause: error });
    }
  }

  #parse(path: string, status: number, text: string): unknown {
    if (text === '' && status < 300) return undefined;
    try {
      return JSON.parse(text);
    } catch (error) {
      throw new Unreachable(`${this.baseUrl}/internal/v1${path} answered ${status} with something that is not JSON`, {
        cause: error,
      });
    }
  }
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = (error as NodeJS.ErrnoException).code;
  return error.message || code || error.name;
}

function asProblem(status: number, answer: unknown): InternalProblem {
  const body = (typeof answer === 'object' && answer !== null ? answer : {}) as Record<string, unknown>;
  const type = typeof body['type'] === 'string' ? body['type'] : '';
  const detail = typeof body['detail'] === 'string' ? body['detail'] : '';
  return new InternalProblem(status, type.replace(/^urn:enjeu:problem:/, ''), detail, body);
}
