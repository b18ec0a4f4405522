import { connect, createServer } from 'node:net';
import { Failure } from '../failure.ts';

const LOOPBACK = '127.0.0.1';

/** A TCP port of the loopback interface that nobody listens on at this moment. */
export function freePort(): Promise<number> {
  return listenOnce(0);
}

/**
 * Refuses with a Failure when somebody else listens on this port of the loopback interface.
 *
 * @param how another one is chosen, for the message
 */
export async function claimPort(port: number, what: string, how = ''): Promise<void> {
  try {
    await listenOnce(port);
  } catch (error) {
    throw new Failure(`port ${port}, which ${what} wants, ${reasonOf(error)}: free it or choose another${how}.`);
  }
}

/** The given port, refused when it is taken; else the one of the last time; else, or when that one is taken, a free one. */
export async function choosePort(what: string, given: number | undefined, kept: number | null): Promise<number> {
  if (given !== undefined) {
    await claimPort(given, what);
    return given;
  }
  if (kept !== null && (await listenOnce(kept).catch(() => null))) return kept;
  return freePort();
}

/** Whether a connection to this port of the loopback interface is accepted. */
export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: LOOPBACK, port });
    const answer = (open: boolean) => {
      socket.destroy();
      resolve(open);
    };
    socket.setTimeout(1000, () => answer(false));
    socket.once('connect', () => answer(true));
    socket.once('error', () => answer(false));
  });
}

function listenOnce(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ host: LOOPBACK, port, exclusive: true }, () => {
      const address = server.address();
      const chosen = address !== null && typeof address === 'object' ? address.port : port;
      server.close(() => resolve(chosen));
    });
  });
}

function reasonOf(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'EADDRINUSE') return 'is taken by another program';
  if (code === 'EACCES') return 'may not be opened by this user';
  return `cannot be opened (${code ?? String(error)})`;
}
