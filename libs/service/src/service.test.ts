import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Body, Controller, Get, Module, Param, Post, Query } from '@nestjs/common';
import { IsInt, Matches, Max, Min } from 'class-validator';
import { badInputs, problemOf } from '../../../test/http/bad-inputs.ts';
import { InternalClient, InternalProblem, Unreachable } from './internal-client.ts';
import { Problem } from './problem.ts';
import { type Service, type ServiceOptions, startService } from './service.ts';
import { currentTraceparent } from './trace.ts';
import { UuidPipe, WholeNumberPipe } from './validation.ts';

class Stake {
  @Matches(/^[a-z]{1,20}$/)
  readonly game!: string;
  @IsInt()
  @Min(1)
  @Max(1_000_000)
  readonly stakeCents!: number;
}

const handled: unknown[] = [];

@Controller()
class PlaysController {
  @Post('/plays')
  place(@Body() stake: Stake) {
    handled.push(stake);
    return { game: stake.game, prototype: Object.getPrototypeOf(stake) === Stake.prototype };
  }

  @Get('/plays')
  page(@Query('limit', new WholeNumberPipe('limit', { min: 1, max: 200, otherwise: 50 })) limit: number) {
    return { limit };
  }

  @Get('/plays/:id')
  one(@Param('id', new UuidPipe('play-unknown')) id: string) {
    return { id };
  }

  @Get('/slow')
  async slow() {
    await pause(150);
    return { slow: true };
  }

  @Get('/failing')
  failing() {
    throw new Error('password=hunter2 at /etc/secrets');
  }

  @Get('/refusing')
  refusing() {
    throw new Problem(409, 'balance-too-low', 'Deposit first.', { members: { missingCents: 50 } });
  }

  @Post('/internal/v1/echo')
  echo(@Body() body: { wait_ms?: number }) {
    return pause(body.wait_ms ?? 0, { body, traceparent: currentTraceparent() });
  }

  @Get('/internal/v1/refusing')
  internalRefusing() {
    return this.refusing();
  }
}

@Module({ controllers: [PlaysController] })
class PlaysModule {}

const TOKEN = 'a-service-token-of-the-tests';
const started: Service[] = [];

async function start(options: Partial<ServiceOptions> = {}): Promise<Service> {
  const service = await startService(PlaysModule, {
    name: 'plays',
    port: 0,
    host: '127.0.0.1',
    serviceToken: TOKEN,
    logLevel: 'silent',
    ...options,
  });
  started.push(service);
  return service;
}

async function problem(url: string, init?: RequestInit) {
  const response = await fetch(url, init);
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    name: problemOf({ status: response.status, contentType: response.headers.get('content-type') ?? '', text }),
  };
}

beforeEach(() => handled.splice(0));
afterAll(() => Promise.all(started.map((service) => service.stop())));

describe('bad input ends as a problem with a stable name, and reaches no handler', () => {
  let service: Service;
  beforeAll(async () => {
    service = await start();
    await service.ready;
  });

  const route = { path: '/plays', body: { game: 'sudoku', stakeCents: 100 }, text: 'game', number: 'stakeCents' };

  test.each(badInputs)('$name', async ({ send, status, problem: expected }) => {
    const answer = await send(service.url, route);
    expect([answer.status, problemOf(answer)]).toEqual([status, expected]);
    expect(handled).toEqual([]);
  });

  test('the good body that they were made from is accepted', async () => {
    const response = await fetch(`${service.url}/plays`, {
      method: 'POST',
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: JSON.stringify(route.body),
    });
    expect(await response.json()).toEqual({ game: 'sudoku', prototype: true });
    expect(handled).toHaveLength(1);
  });

  test('errors name the members at fault', async () => {
    const { text } = await problem(`${service.url}/plays`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"game":7,"stakeCents":100,"more":1}',
    });
    const { errors } = JSON.parse(text) as { errors: { path: string }[] };
    expect(errors.map(({ path }) => path).sort()).toEqual(['game', 'more']);
  });

  test.each(['0', '201', '1.5', '-1', 'ten', '1e2', '', '0x10', '99999999999999999999'])(
    'a limit of %j is refused',
    async (limit) => {
      const { name } = await problem(`${service.url}/plays?limit=${limit}`);
      expect(name).toBe('bad-request');
    },
  );

  test('a parameter given twice is refused', async () => {
    const { name } = await problem(`${service.url}/plays?limit=1&limit=2`);
    expect(name).toBe('bad-request');
  });

  test('an id that is not a lower-case UUID is unknown', async () => {
    const { name, status } = await problem(`${service.url}/plays/01890A5D-AC96-774B-BCCE-B302099A8057`);
    expect([status, name]).toEqual([404, 'play-unknown']);
  });

  test('what nobody foresaw is a 500 that tells nothing', async () => {
    const { name, status, text } = await problem(`${service.url}/failing`);
    expect([status, name]).toEqual([500, 'internal-error']);
    expect(text).not.toMatch(/hunter2|secrets/);
  });

  test('a problem keeps its members', async () => {
    const { status, text } = await problem(`${service.url}/refusing`);
    expect(JSON.parse(text)).toEqual({
      type: 'urn:enjeu:problem:balance-too-low',
      title: 'Conflict',
      status,
      detail: 'Deposit first.',
      missingCents: 50,
    });
  });
});

describe('the internal API', () => {
  let service: Service;
  beforeAll(async () => {
    service = await start();
    await service.ready;
  });

  test.each([undefined, '', 'Bearer', `Bearer ${TOKEN}x`, `bearer ${TOKEN}`, TOKEN])(
    'refuses the authorization %j',
    async (authorization) => {
      const headers = authorization === undefined ? {} : { authorization };
      const { status, name } = await problem(`${service.url}/internal/v1/echo`, { method: 'POST', headers });
      expect([status, name]).toEqual([401, 'token-refused']);
    },
  );

  test('an unknown internal route does not answer without the token either', async () => {
    expect((await problem(`${service.url}/internal/v1/nowhere`)).status).toBe(401);
  });

  test('a spelling of the path that the router would decode is not a way around the token', async () => {
    for (const path of [
      '/%69nternal/v1/refusing',
      '/internal%2fv1/refusing',
      '//internal/v1/refusing',
      '/INTERNAL/v1/refusing',
    ]) {
      expect([404, 401]).toContain((await problem(service.url + path)).status);
    }
  });

  test('the client posts, and passes the trace on', async () => {
    const client = new InternalClient(service.url, TOKEN);
    const answer = await client.post<{ body: unknown; traceparent: string }>('/echo', { stakes: [1, 2] });
    expect(answer.body).toEqual({ stakes: [1, 2] });
    expect(answer.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    await client.close();
  });

  test('one trace goes through several services', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const response = await fetch(`${service.url}/internal/v1/echo`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}`, traceparent },
      body: '{}',
    });
    expect(await response.json()).toMatchObject({ traceparent });
    expect(response.headers.get('traceparent')).toBe(traceparent);
  });

  test('the client gives a problem its name and status', async () => {
    const client = new InternalClient(service.url, TOKEN);
    const error = await client.get('/refusing').catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(InternalProblem);
    expect(error).toMatchObject({ status: 409, problem: 'balance-too-low', body: { missingCents: 50 } });
    await client.close();
  });

  test('the client calls an answer that does not come in time unreachable', async () => {
    const client = new InternalClient(service.url, TOKEN, { timeout_ms: 50 });
    await expect(client.post('/echo', { wait_ms: 2_000 })).rejects.toBeInstanceOf(Unreachable);
    await client.close();
  });

  test('calls that wait for a connection wait no longer than the others', async () => {
    const client = new InternalClient(service.url, TOKEN, { timeout_ms: 300, connections: 1 });
    const since = performance.now();
    const calls = Array.from({ length: 4 }, () => client.post('/echo', { wait_ms: 2_000 }));
    const answers = await Promise.allSettled(calls);
    expect(answers.every(({ status }) => status === 'rejected')).toBe(true);
    expect(performance.now() - since).toBeLessThan(1_000);
    await client.close();
  });

  test('the client calls a service that is away unreachable', async () => {
    const away = await start();
    await away.stop();
    const client = new InternalClient(away.url, TOKEN);
    await expect(client.get('/echo')).rejects.toBeInstanceOf(Unreachable);
    await client.close();
  });
});

describe('readiness', () => {
  test('until the service says that it is ready, its routes answer 503 with Retry-After', async () => {
    const opened = Promise.withResolvers<void>();
    const service = await start({ ready: () => opened.promise });
    for (const path of ['/health/ready', '/plays', '/internal/v1/refusing']) {
      const { status, name, headers } = await problem(service.url + path, {
        headers: { authorization: `Bearer ${TOKEN}` },
      });
      expect([status, name, headers.get('retry-after')]).toEqual([503, 'not-ready', '1']);
    }
    expect((await fetch(`${service.url}/health/live`)).status).toBe(200);
    opened.resolve();
    await service.ready;
    expect((await fetch(`${service.url}/health/ready`)).status).toBe(200);
    expect((await fetch(`${service.url}/plays`)).status).toBe(200);
  });

  test('a start that fails is told to whoever started it', async () => {
    const service = await start({ ready: () => Promise.reject(new Error('no database')) });
    await expect(service.ready).rejects.toThrow('no database');
    await service.stop();
  });

  test('a service that still waits to be ready can be stopped', async () => {
    const service = await start({
      ready: (stopping) =>
        new Promise((_, reject) => stopping.addEventListener('abort', () => reject(stopping.reason))),
    });
    await service.stop();
    await expect(service.ready).rejects.toThrow('stopping');
  });

  test('a port in use is one clear line', async () => {
    const service = await start();
    const port = Number(new URL(service.url).port);
    await expect(start({ port })).rejects.toThrow(`port ${port} on 127.0.0.1 is in use`);
  });

  test('metrics count requests by route', async () => {
    const service = await start();
    await service.ready;
    await fetch(`${service.url}/plays?limit=3`);
    const text = await (await fetch(`${service.url}/metrics`)).text();
    expect(text).toMatch(/enjeu_http_request_seconds_count\{method="GET",route="\/plays",status="200"\} \d/);
    expect(text).toContain('process_resident_memory_bytes');
  });
});

describe('a graceful stop', () => {
  test('answers the request in flight, refuses later ones, and runs the hooks in order', async () => {
    const order: string[] = [];
    const service = await start({
      stop: [
        async () => {
          await pause(10);
          order.push('lane');
        },
        async () => {
          order.push('pool');
        },
      ],
    });
    await service.ready;
    const slow = fetch(`${service.url}/slow`).then((response) => {
      order.push('answered');
      return response.json();
    });
    await pause(50);
    const stopped = Promise.all([service.stop(), service.stop()]);
    await expect(fetch(`${service.url}/plays`)).rejects.toThrow();
    expect(await slow).toEqual({ slow: true });
    await stopped;
    expect(order).toEqual(['answered', 'lane', 'pool']);
  });

  test('an idle kept connection does not delay it', async () => {
    const service = await start();
    await service.ready;
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    socket.on('error', () => {});
    socket.write('GET /plays HTTP/1.1\r\nhost: x\r\n\r\n');
    await new Promise((resolve) => socket.once('data', resolve));
    const before = performance.now();
    await service.stop();
    expect(performance.now() - before).toBeLessThan(1_000);
  });

  test('a client that never finishes its request is cut at the deadline', async () => {
    const service = await start({ drain_ms: 100 });
    await service.ready;
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    socket.on('error', () => {});
    socket.write('POST /plays HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n{');
    await pause(50);
    const before = performance.now();
    await service.stop();
    expect(performance.now() - before).toBeLessThan(2_000);
  });

  test('a hook that fails does not keep the others from running', async () => {
    const ran: string[] = [];
    const service = await start({
      stop: [
        () => Promise.reject(new Error('the lane is stuck')),
        async () => {
          ran.push('pool');
        },
      ],
    });
    await service.ready;
    await expect(service.stop()).rejects.toThrow('the lane is stuck');
    expect(ran).toEqual(['pool']);
    started.splice(started.indexOf(service), 1);
  });
});
