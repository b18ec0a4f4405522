import { Failure } from './failure.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: each caller knows the shape of the route that it asked.
  readonly body: any;
}

const PATIENCE_MS = 15_000;

/** One HTTP call. Rejects with a Failure only when nobody answered; what the answer means is the caller's to say. */
export async function request(
  url: string,
  {
    method = 'GET',
    token,
    body,
    headers,
  }: { method?: string; token?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<Answer> {
  try {
    const response = await fetch(url, {
      method,
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) };
  } catch (error) {
    const cause = (error as Error).cause;
    throw new Failure(`no answer from ${url} (${cause instanceof Error ? cause.message : (error as Error).message})`);
  }
}

/** The body of a success; a problem becomes a Failure with its own sentence. */
export function successOf(answer: Answer): Answer['body'] {
  if (answer.status < 400) return answer.body;
  const { detail, title, errors, regulation } = answer.body ?? {};
  const words = detail ?? title ?? `the answer was HTTP ${answer.status}`;
  const said = typeof regulation === 'string' ? `${words} It names ${regulation}.` : words;
  throw new Failure(Array.isArray(errors) ? errors.map(faultOf).join('; ') || said : said);
}

/** One member of a body that was refused: `game: must be …`. */
function faultOf({ path, message }: { path?: unknown; message?: unknown }): string {
  return path ? `${path}: ${message}` : `${message}`;
}
