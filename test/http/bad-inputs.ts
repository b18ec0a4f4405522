import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';

/** A route that takes a JSON body, with a body that it takes. */
export interface JsonRoute {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** A member of the body that is a text, and one that is a whole number. */
  readonly text: string;
  readonly number: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface BadInput {
  readonly name: string;
  readonly status: number;
  readonly problem: string;
  send(baseUrl: string, route: JsonRoute): Promise<RawAnswer>;
}

export interface RawAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

/** What clients send by mistake or on purpose, and the problem that it must end with on every public route. */
export const badInputs: readonly BadInput[] = [
  ...[
    badBody('a list instead of an object', (route) => JSON.stringify([route.body])),
    badBody('an empty list', () => '[]'),
    badBody('a text instead of an object', () => '"sudoku"'),
    badBody('null', () => 'null'),
    badBody('an empty body', () => ''),
    badBody('broken JSON', (route) => JSON.stringify(route.body).slice(0, -1)),
    badBody('two values', (route) => `${JSON.stringify(route.body)}{}`),
    badBody('a byte order mark', (route) => `\uFEFF${JSON.stringify(route.body)}`),
    badBody('bytes that are not UTF-8', (route) => changed(route, route.text, '"\xff"', 'latin1')),
    badBody('a number as text', (route) =>
      changed(route, route.number, JSON.stringify(String(route.body[route.number]))),
    ),
    badBody('a fraction', (route) => changed(route, route.number, '100.5')),
    badBody('a number beyond the safe integers', (route) => changed(route, route.number, '9007199254740993')),
    badBody('a number with a huge exponent', (route) => changed(route, route.number, '1e999')),
    badBody('a negative number', (route) => changed(route, route.number, '-100')),
    badBody('null for a number', (route) => changed(route, route.number, 'null')),
    badBody('a list for a number', (route) => changed(route, route.number, '[100]')),
    badBody('true for a number', (route) => changed(route, route.number, 'true')),
    badBody('a list for a text', (route) => changed(route, route.text, '["sudoku"]')),
    badBody('an object for a text', (route) => changed(route, route.text, '{"toString":"sudoku"}')),
    badBody('a number for a text', (route) => changed(route, route.text, '7')),
    badBody('U+0000 in a text', (route) => changed(route, route.text, '"sudo\\u0000ku"')),
    badBody('half of a surrogate pair', (route) => changed(route, route.text, '"sudoku\\ud800"')),
    badBody('a text of 100,000 characters', (route) => changed(route, route.text, JSON.stringify('s'.repeat(100_000)))),
    badBody('a missing member', (route) => JSON.stringify({ ...route.body, [route.text]: undefined })),
    badBody('an unknown member', (route) => JSON.stringify({ ...route.body, surprise: 1 })),
    badBody('a member twice', (route) => doubled(route, JSON.stringify(route.number))),
    badBody('a member twice, once escaped', (route) =>
      doubled(route, `"\\u${hex(route.number)}${route.number.slice(1)}"`),
    ),
    badBody('__proto__', (route) => withMember(route, '"__proto__":{"admin":true}')),
    badBody('__proto__, escaped', (route) => withMember(route, '"\\u005f_proto__":{"admin":true}')),
    badBody('constructor', (route) => withMember(route, '"constructor":{"prototype":{"admin":true}}')),
    badBody('brackets, 100,000 deep', () => '['.repeat(100_000) + ']'.repeat(100_000)),
    badBody('objects, 50,000 deep', (route) =>
      withMember(route, `"a":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`),
    ),
  ],
  {
    name: 'a body of 2 MB',
    status: 413,
    problem: 'body-too-large',
    send: (url, route) => post(url, route, JSON.stringify({ ...route.body, [route.text]: 's'.repeat(2_000_000) })),
  },
  ...[
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/xml',
    'multipart/form-data; boundary=x',
    'nonsense',
  ].map(
    (contentType): BadInput => ({
      name: `content type ${contentType}`,
      status: 415,
      problem: 'content-type-unsupported',
      send: (url, route) => post(url, route, JSON.stringify(route.body), contentType),
    }),
  ),
  {
    name: 'an unknown route',
    status: 404,
    problem: 'route-unknown',
    send: (url, route) => post(url, { ...route, path: `${route.path}/nowhere/at/all` }, JSON.stringify(route.body)),
  },
  {
    name: 'an unknown method',
    status: 404,
    problem: 'route-unknown',
    send: (url, route) => send(url, 'DELETE', route.path, route.headers ?? {}, ''),
  },
  ...['/%', '/%zz', '/%ff', '/%c3%28'].map(
    (sequence): BadInput => ({
      name: `the escape ${sequence} in the path`,
      status: 400,
      problem: 'bad-request',
      send: (url, route) => send(url, 'GET', `${route.path}${sequence}`, route.headers ?? {}, ''),
    }),
  ),
  ...['/%00', '/a%00b', '?a=%00'].map(
    (sequence): BadInput => ({
      name: `U+0000 in the address, as ${sequence}`,
      status: 400,
      problem: 'bad-request',
      send: (url, route) => send(url, 'GET', `${route.path}${sequence}`, route.headers ?? {}, ''),
    }),
  ),
  {
    name: 'bytes that are not HTTP',
    status: 400,
    problem: 'bad-request',
    send: (url) => raw(url, 'HELO enjeu\r\n\r\n'),
  },
  {
    name: 'headers of 100 kB',
    status: 431,
    problem: 'headers-too-large',
    send: (url, route) => raw(url, `GET ${route.path} HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(100_000)}\r\n\r\n`),
  },
];

function badBody(name: string, make: (route: JsonRoute) => string | Buffer): BadInput {
  return { name, status: 400, problem: 'body-invalid', send: (url, route) => post(url, route, make(route)) };
}

const PLACEHOLDER = 'to be replaced';

/** The route's body with this JSON text as the value of one member. */
function changed(route: JsonRoute, member: string, json: string, encoding: BufferEncoding = 'utf8'): Buffer {
  const text = JSON.stringify({ ...route.body, [member]: PLACEHOLDER }).replace(
    JSON.stringify(PLACEHOLDER),
    () => json,
  );
  return Buffer.from(text, encoding);
}

function withMember(route: JsonRoute, member: string): string {
  return `${JSON.stringify(route.body).slice(0, -1)},${member}}`;
}

/** The number again at the end, one higher, under this spelling of its name. */
function doubled(route: JsonRoute, name: string): string {
  return withMember(route, `${name}:${Number(route.body[route.number]) + 1}`);
}

function hex(text: string): string {
  return text.charCodeAt(0).toString(16).padStart(4, '0');
}

function post(url: string, route: JsonRoute, body: string | Buffer, contentType = 'application/json') {
  return send(url, 'POST', route.path, { 'content-type': contentType, ...route.headers }, body);
}

/** Sends exactly this path: `fetch` would repair it. */
function send(
  baseUrl: string,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: string | Buffer,
): Promise<RawAnswer> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      { hostname, port, method, path, headers: { ...headers, connection: 'close' } },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk) => {
          text += chunk;
        });
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, contentType: String(answer.headers['content-type']), text }),
        );
      },
    );
    // A refused body may be answered before it is sent whole; the answer counts.
    sent.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') reject(error);
    });
    sent.end(body);
  });
}

function raw(baseUrl: string, bytes: string): Promise<RawAnswer> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let answer = '';
    socket.setEncoding('utf8').on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('close', () => resolve(parsed(answer)));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') reject(error);
    });
  });
}

function parsed(answer: string): RawAnswer {
  const [head = '', text = ''] = answer.split('\r\n\r\n', 2);
  return {
    status: Number(head.split(' ', 2)[1]),
    contentType: /^content-type: (.*)$/im.exec(head)?.[1] ?? '',
    text,
  };
}

/** The answer's problem name, after checking that it is an RFC 9457 problem that gives nothing away. */
export function problemOf(answer: RawAnswer): string {
  if (!answer.contentType.startsWith('application/problem+json')) {
    throw new Error(`not a problem: ${answer.status} ${answer.contentType} ${answer.text.slice(0, 200)}`);
  }
  const body = JSON.parse(answer.text) as { type: string; title: string; status: number; detail: string };
  if (body.status !== answer.status || !body.title || !body.detail)
    throw new Error(`incomplete problem: ${answer.text}`);
  if (/\bat \S+ \(|node_modules|\.ts:|\.js:/.test(answer.text)) throw new Error(`it shows a stack: ${answer.text}`);
  return body.type.replace('urn:enjeu:problem:', '');
}
