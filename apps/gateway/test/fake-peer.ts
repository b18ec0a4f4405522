import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How a peer behaves whatever it is asked; null for as it should. */
export type Misbehaviour = 'hangs' | 'fails' | 'resets' | null;

export interface Answer {
  readonly status?: number;
  readonly body: unknown;
}

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  // biome-ignore lint/suspicious/noExplicitAny: each fake knows the bodies of its routes.
  readonly body: any;
}

export function problem(status: number, name: string): Answer {
  return { status, body: { type: `urn:enjeu:problem:${name}`, title: 'x', status, detail: 'x' } };
}

/** A service's internal API as an HTTP server that can be told to misbehave. */
export abstract class FakePeer {
  misbehaves: Misbehaviour = null;
  /** Does what it was asked, and then misbehaves: it crashes between commit and answer. */
  misbehavesAfter: Misbehaviour = null;
  /** Its answers wait for this. */
  before: Promise<void> | null = null;
  readonly asked: Asked[] = [];
  #server: Server | null = null;

  abstract answer(asked: Asked): Answer | Promise<Answer>;

  async start(): Promise<string> {
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const text = Buffer.concat(chunks).toString();
      const url = new URL(request.url ?? '', 'http://peer');
      const path = url.pathname.replace('/internal/v1', '');
      const asked: Asked = {
        method: request.method ?? '',
        path,
        query: url.searchParams,
        body: text === '' ? null : JSON.parse(text),
      };
      this.asked.push(asked);
      await this.before;
      const before = this.misbehaves;
      const answer = before === null ? await this.answer(asked) : null;
      const misbehaves = before ?? this.misbehavesAfter;
      if (misbehaves === 'hangs') return;
      if (misbehaves === 'resets') return void request.socket.destroy();
      const { status = 200, body } =
        misbehaves === 'fails' || answer === null ? problem(500, 'internal-error') : answer;
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server?.closeAllConnections();
    this.#server?.close();
  }

  askedFor(path: string): Asked[] {
    return this.asked.filter((asked) => asked.path === path);
  }
}
