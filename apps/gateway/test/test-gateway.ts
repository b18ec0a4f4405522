import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import type { PlayRecord } from '#contracts';
import { InternalClient, loadRegulations, type Service, startService } from '#service';
import { gatewayModule } from '../src/gateway.module.ts';
import { Gateway, type GatewayOptions } from '../src/gateway.ts';
import { serveOpenApi } from '../src/open-api.ts';
import { FakeBus } from './fake-bus.ts';
import { FakeHistory, FakeIssuance, FakeWallet, World } from './fake-platform.ts';
import { TestIssuer } from './test-issuer.ts';

export const WAIT_MS = 300;
export const DELAYED_MS = 1_000;
export const PEER_TIMEOUT_MS = 800;

export interface Called {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape of the route that it called.
  readonly body: any;
  readonly text: string;
}

/** A gateway over HTTP, with everything around it in the hands of the test. */
export class TestGateway {
  readonly issuer = new TestIssuer();
  readonly bus = new FakeBus();
  readonly world = new World((record) => this.bus.bring(record));
  readonly wallet = new FakeWallet(this.world);
  readonly history = new FakeHistory();
  readonly issuance = new FakeIssuance();
  readonly folder = mkdtempSync(join(tmpdir(), 'enjeu-gateway-'));
  readonly keysFile = join(this.folder, 'keys.json');
  service: Service | null = null;
  gateway: Gateway | null = null;
  url = '';

  constructor(private readonly options: Pick<GatewayOptions, 'scripts'> = {}) {}

  async start(): Promise<this> {
    Logger.overrideLogger(false);
    await this.issuer.start();
    writeFileSync(this.keysFile, JSON.stringify({ keys: [] }));
    const peer = async (fake: { start(): Promise<string> }) =>
      new InternalClient(await fake.start(), 'a token of the services', { timeout_ms: PEER_TIMEOUT_MS });
    this.gateway = new Gateway({
      wallet: await peer(this.wallet),
      history: await peer(this.history),
      issuance: await peer(this.issuance),
      bus: this.bus,
      regulations: loadRegulations().all,
      keysFile: this.keysFile,
      issuer: this.issuer.url,
      audience: 'enjeu',
      wait_ms: WAIT_MS,
      delayed_ms: DELAYED_MS,
      ...this.options,
    });
    const gateway = this.gateway;
    this.service = await startService(gatewayModule(gateway), {
      name: 'gateway',
      port: 0,
      host: '127.0.0.1',
      logLevel: 'silent',
      configure: serveOpenApi,
      ready: (stopping) => gateway.open(stopping),
      stop: [() => gateway.close()],
    });
    if (!this.bus.away) await this.service.ready;
    this.url = this.service.url;
    return this;
  }

  async stop(): Promise<void> {
    for (const fake of [this.wallet, this.history, this.issuance, this.issuer]) fake.stop();
    await this.service?.stop();
    rmSync(this.folder, { recursive: true });
  }

  /** A player with an account, and a token of his. */
  async player(subject: string = randomUUID()): Promise<{ token: string; playerId: string }> {
    const token = await this.issuer.token(subject);
    const playerId = randomUUID();
    this.wallet.players.set(subject, playerId);
    return { token, playerId };
  }

  async call(
    method: string,
    path: string,
    { token, body, headers }: { token?: string; body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<Called> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : null, text };
  }

  place(
    token: string,
    { key = randomUUID() as string, body = { game: 'sudoku', stakeCents: 100 } as object } = {},
  ): Promise<Called> {
    return this.call('POST', '/api/v1/plays', { token, body, headers: { 'idempotency-key': key } });
  }

  /** The history applies what the wallet has debited, with these outcomes. */
  catchUp(changes: (play: PlayRecord) => Partial<PlayRecord> = () => ({})): void {
    for (const { position, ...order } of this.world.debits) {
      const play = pendingRecord(order, position);
      this.history.plays.set(play.playId, { ...play, ...changes(play) });
    }
    this.history.applied = this.world.walletPosition;
  }
}

function pendingRecord(
  order: Pick<PlayRecord, 'playId' | 'playerId' | 'game' | 'stakeCents' | 'regulation' | 'mode' | 'placedAt'>,
  walletPosition: number,
): PlayRecord {
  return {
    ...order,
    status: 'pending',
    prizeCents: null,
    blockId: null,
    sequence: null,
    unitIndex: null,
    mechanic: null,
    seed: null,
    scriptDigest: null,
    reason: null,
    settledAt: null,
    paidAt: null,
    seenAt: null,
    walletPosition,
  };
}

/** How the history tells a won play. */
export const won = {
  status: 'won' as const,
  prizeCents: 200,
  blockId: '01920000-0000-7000-8000-00000000b10c',
  sequence: 7,
  unitIndex: 8,
  mechanic: 'sudoku/1',
  settledAt: '2009-02-05T12:00:00.000Z',
  paidAt: '2009-02-05T12:00:00.000Z',
};

export function problemOf({ status, headers, body }: Called): string {
  const type = /^urn:enjeu:problem:([a-z-]+)$/.exec(body?.type ?? '')?.[1];
  const isProblem = headers.get('content-type')?.startsWith('application/problem+json') && body?.status === status;
  return isProblem && type ? `${status} ${type}` : `no problem: ${status} ${JSON.stringify(body)}`;
}
