import { connect, type Socket } from 'node:net';

export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

/**
 * One keep-alive connection with one request in flight. It does the least that HTTP/1.1 asks for, so that on two cores the
 * driver takes little from what it measures. Answers must have a Content-Length.
 */
export class HttpConnection {
  #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #waiting: { resolve(answer: HttpAnswer): void; reject(error: Error): void } | null = null;

  private constructor(
    socket: Socket,
    private readonly host: string,
  ) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.#take(chunk));
    const fail = (error?: Error) => this.#waiting?.reject(error ?? new Error('the connection was closed'));
    socket.on('error', fail);
    socket.on('close', () => fail());
  }

  static open(url: string): Promise<HttpConnection> {
    const { hostname, port, host } = new URL(url);
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => resolve(new HttpConnection(socket, host)));
      socket.once('error', reject);
    });
  }

  get(path: string, headers: string): Promise<HttpAnswer> {
    return this.#send(`GET ${path} HTTP/1.1\r\nhost: ${this.host}\r\n${headers}\r\n`);
  }

  post(path: string, headers: string, body: string): Promise<HttpAnswer> {
    const length = Buffer.byteLength(body);
    return this.#send(
      `POST ${path} HTTP/1.1\r\nhost: ${this.host}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n${headers}\r\n${body}`,
    );
  }

  #send(request: string): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const end = this.#received.indexOf('\r\n\r\n');
    if (end < 0) return;
    const head = this.#received.toString('latin1', 0, end);
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? Number.NaN);
    if (Number.isNaN(length)) throw new Error(`an answer without a Content-Length: ${head}`);
    if (this.#received.length < end + 4 + length) return;
    const answer = {
      status: Number(head.slice(9, 12)),
      body: this.#received.toString('utf8', end + 4, end + 4 + length),
    };
    this.#received = this.#received.subarray(end + 4 + length);
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.resolve(answer);
  }
}
