import { createHash, timingSafeEqual } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type DynamicModule, Logger, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { serviceLogger } from './logging.ts';
import { collectProcessMetrics, histogram, metrics } from './metrics.ts';
import { Problem, unavailable } from './problem.ts';
import { asProblem, ProblemFilter, sendProblem } from './problem-filter.ts';
import { parseStrictJson, StrictJsonError } from './strict-json.ts';
import { acceptTraceparent, withTraceparent } from './trace.ts';
import { BodyValidationPipe, badRequest } from './validation.ts';

/** Bodies above this are answered 413 `body-too-large`. */
const BODY_LIMIT_BYTES = 1_048_576;

/** A request that has not arrived whole by then is answered 408 `request-too-slow`. */
const REQUEST_TIMEOUT_MS = 30_000;

export interface ServiceOptions {
  /** `wallet`: in logs, metrics and messages. */
  readonly name: string;
  /** 0 takes a free one; see `Service.url`. */
  readonly port: number;
  readonly host: string;
  /** The secret that `/internal/` wants. Without one nobody may call `/internal/`. */
  readonly serviceToken?: string;
  readonly logLevel?: string;
  /**
   * Runs once the service listens; until it resolves every route but `/health/…` and `/metrics` answers 503
   * `not-ready`. A rejection is a failed start. The signal is aborted when the service is to stop.
   */
  readonly ready?: (stopping: AbortSignal) => Promise<void>;
  /** Run one after the other, in this order, when the last request has been answered. */
  readonly stop?: readonly (() => Promise<void>)[];
  /** What only this service wants of Nest or Fastify; runs before the routes are made. */
  readonly configure?: (app: NestFastifyApplication) => void | Promise<void>;
  /** How long a stop waits for requests in flight before it cuts their connections. Default 10,000. */
  readonly drain_ms?: number;
}

export interface Service {
  readonly app: NestFastifyApplication;
  /** Where it listens, with the real port. */
  readonly url: string;
  /** Resolves when `ready` has; rejects when it failed, or when the service is stopped before. */
  readonly ready: Promise<void>;
  /** Not ready from now on; requests in flight are answered, streams ended, the stop hooks run. A second call is the first. */
  stop(): Promise<void>;
}

/** Starts a service: listening when the promise resolves, ready when `Service.ready` does. */
export async function startService(module: Type | DynamicModule, options: ServiceOptions): Promise<Service> {
  const state: State = { ready: false, stopping: false };
  const app = await createApp(module, options, state);
  await listen(app, options);
  const stopping = new AbortController();
  const ready = becomeReady(options, state, stopping.signal);
  // Whoever started it awaits `ready`; this keeps a stop before that from being an unhandled rejection.
  ready.catch(() => {});
  let stopped: Promise<void> | null = null;
  return {
    app,
    url: (await app.getUrl()).replace('[::1]', 'localhost'),
    ready,
    stop() {
      stopped ??= stopService(app, options, state, stopping, ready);
      return stopped;
    },
  };
}

interface State {
  ready: boolean;
  stopping: boolean;
}

async function createApp(module: Type | DynamicModule, options: ServiceOptions, state: State) {
  const adapter = new FastifyAdapter({
    bodyLimit: BODY_LIMIT_BYTES,
    skipMiddie: true,
    multipart: false,
    return503OnClosing: false,
    keepAliveTimeout: 72_000,
    requestTimeout: REQUEST_TIMEOUT_MS,
    frameworkErrors: (error: Error, _request: FastifyRequest, reply: FastifyReply) =>
      sendProblem(reply, asProblem(error, logger)),
    clientErrorHandler: refuseConnection,
  });
  const nestLogger = serviceLogger(options.name, options.logLevel ?? 'info');
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    logger: nestLogger,
    abortOnError: false,
    bodyParser: false,
  });
  app.useGlobalPipes(new BodyValidationPipe());
  app.useGlobalFilters(new ProblemFilter());
  const fastify = adapter.getInstance();
  readBodies(fastify);
  guard(fastify, options, state);
  observe(fastify);
  addOwnRoutes(fastify, state);
  await options.configure?.(app);
  return app;
}

const logger = new Logger('service');

async function listen(app: NestFastifyApplication, options: ServiceOptions): Promise<void> {
  try {
    await app.listen(options.port, options.host);
  } catch (error) {
    await app.close();
    throw listenFailure(error, options);
  }
}

function listenFailure(error: unknown, { host, port }: ServiceOptions): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return new Error(`port ${port} on ${host} is in use; stop what uses it, or choose another with PORT`);
    case 'EACCES':
      return new Error(`port ${port} on ${host} may not be used by this user; choose another with PORT`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new Error(`${host} is no address of this machine; set ENJEU_HOST`);
    default:
      return error;
  }
}

async function becomeReady(options: ServiceOptions, state: State, stopping: AbortSignal): Promise<void> {
  await options.ready?.(stopping);
  stopping.throwIfAborted();
  state.ready = true;
}

async function stopService(
  app: NestFastifyApplication,
  options: ServiceOptions,
  state: State,
  stopping: AbortController,
  ready: Promise<void>,
): Promise<void> {
  state.ready = false;
  state.stopping = true;
  stopping.abort(new Error('the service is stopping'));
  const server = app.getHttpServer() as import('node:http').Server;
  const sweep = setInterval(() => server.closeIdleConnections(), 20);
  const cut = setTimeout(() => server.closeAllConnections(), options.drain_ms ?? 10_000);
  try {
    await app.close();
  } finally {
    clearInterval(sweep);
    clearTimeout(cut);
  }
  await ready.catch(() => {});
  await runInOrder(options.stop ?? []);
}

/** Every hook runs, also after one that failed; the first failure is the stop's. */
async function runInOrder(hooks: readonly (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const hook of hooks) {
    try {
      await hook();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/** Bodies are JSON. What comes from outside is parsed strictly; other services are trusted to send what they mean. */
function readBodies(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      done(null, isInternal(request) ? parseTrusted(body as Buffer) : parseStrictJson(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
}

function parseTrusted(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new StrictJsonError('the body is not valid JSON');
  }
}

/** By the route that was found, since the router decodes the path, and by the path where none was. */
function isInternal(request: FastifyRequest): boolean {
  return (request.routeOptions.url ?? request.url).startsWith('/internal/');
}

function isOwn(request: FastifyRequest): boolean {
  const route = request.routeOptions.url;
  return route === '/health/live' || route === '/health/ready' || route === '/metrics';
}

function guard(fastify: FastifyInstance, options: ServiceOptions, state: State): void {
  const expected = options.serviceToken === undefined ? null : digestOf(`Bearer ${options.serviceToken}`);
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (request.url.includes('%00')) return done(badRequest('The address contains U+0000.'));
    if (isOwn(request)) return done();
    if (isInternal(request) && !mayCallInternal(request, expected)) return done(tokenRefused());
    if (!state.ready) return done(notReady(state));
    done();
  });
  fastify.addHook('preHandler', (request, reply, done) => {
    const traceparent = acceptTraceparent(request.headers['traceparent']);
    reply.header('traceparent', traceparent);
    withTraceparent(traceparent, done);
  });
}

function mayCallInternal(request: FastifyRequest, expected: Buffer | null): boolean {
  return expected !== null && timingSafeEqual(digestOf(request.headers.authorization ?? ''), expected);
}

/** Digests have one length, so that their comparison takes one time. */
function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function tokenRefused(): Problem {
  return new Problem(401, 'token-refused', 'The internal API wants the service token as `Authorization: Bearer …`.', {
    headers: { 'www-authenticate': 'Bearer' },
  });
}

function notReady(state: State): Problem {
  return state.stopping
    ? unavailable('not-ready', 'The service is stopping; try again in a moment.')
    : unavailable('not-ready', 'The service is starting; try again in a moment.');
}

function observe(fastify: FastifyInstance): void {
  collectProcessMetrics();
  const seconds = histogram('enjeu_http_request_seconds', 'Time to answer a request.', ['method', 'route', 'status']);
  fastify.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown';
    seconds.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
    done();
  });
}

function addOwnRoutes(fastify: FastifyInstance, state: State): void {
  fastify.get('/health/live', async () => ({ status: 'live' }));
  fastify.get('/health/ready', async (_request: FastifyRequest, reply: FastifyReply) => {
    if (state.ready) return { status: 'ready' };
    sendProblem(reply, notReady(state));
    return reply;
  });
  fastify.get('/metrics', async (_request: FastifyRequest, reply: FastifyReply) =>
    reply.type(metrics.contentType).send(await metrics.metrics()),
  );
}

/** What is not HTTP, or not whole, never reaches a route: it is answered on the bare socket. */
function refuseConnection(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const problem = connectionProblem(error.code);
  const body = JSON.stringify(problem.toBody());
  socket.end(
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\ncontent-type: application/problem+json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

function connectionProblem(code: string | undefined): Problem {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new Problem(431, 'headers-too-large', 'The headers are too large; send less.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new Problem(408, 'request-too-slow', 'The request did not arrive in time; send it again.');
  }
  return badRequest('This is not an HTTP request as RFC 9112 describes it.');
}
