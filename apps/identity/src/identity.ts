import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Provider } from 'oidc-provider';
import { z } from 'zod';
import { listening, oidc, type RunningService, readConfig } from '#service';
import { DemoAccounts } from './accounts.ts';
import { addDemoGrant, DEMO_GRANT } from './demo-grant.ts';
import { providerKeys } from './key-file.ts';
import { addLoginPage } from './login-page.ts';
import { makeProvider } from './provider.ts';

export interface Identity extends RunningService {
  readonly url: string;
}

const LOOPBACK = ['127.0.0.1', '::1', 'localhost'];

/**
 * Starts the OpenID provider of the embedded default. Everybody can be anybody here, so it refuses to start without
 * `ENJEU_EMBEDDED=1` and on any address but a loopback one.
 */
export async function startIdentity(environment: Readonly<Record<string, string | undefined>>): Promise<Identity> {
  const config = readConfig(
    {
      ...listening(3002),
      ENJEU_HOST: z.enum(LOOPBACK).default('127.0.0.1'),
      ENJEU_OIDC_ISSUER: oidc.ENJEU_OIDC_ISSUER,
      ENJEU_EMBEDDED: z.literal(
        '1',
        'must be 1: this provider asks for no passwords and is for the embedded default only',
      ),
      ENJEU_IDENTITY_DIR: z.string(),
      ENJEU_CLI_SECRET: z.string().min(16, 'must have at least 16 characters'),
      ENJEU_DEMO_PLAYERS: z
        .string()
        .regex(/^\d{1,6}$/, 'must be a number of players')
        .default('20'),
    },
    environment,
  );
  const accounts = new DemoAccounts(Number(config.ENJEU_DEMO_PLAYERS));
  const provider = makeProvider({
    issuer: config.ENJEU_OIDC_ISSUER,
    accounts,
    keys: await providerKeys(config.ENJEU_IDENTITY_DIR),
    cliSecret: config.ENJEU_CLI_SECRET,
    cliGrant: DEMO_GRANT,
  });
  addDemoGrant(provider, accounts);
  addHealth(provider);
  addLoginPage(provider, accounts);
  const server = await listen(provider, config.PORT, config.ENJEU_HOST);
  return { url: urlOf(server), ready: Promise.resolve(), stop: () => close(server) };
}

function addHealth(provider: Provider): void {
  provider.use(async (ctx, next) => {
    if (ctx.path !== '/health/live' && ctx.path !== '/health/ready') return next();
    ctx.body = { status: ctx.path.slice('/health/'.length) };
  });
}

async function listen(provider: Provider, port: number, host: string): Promise<Server> {
  const server = provider.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new Error(`port ${port} on ${host} is in use; stop what uses it, or choose another with PORT`);
  }
  return server;
}

function urlOf(server: Server): string {
  const { address, port } = server.address() as AddressInfo;
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  const sweep = setInterval(() => server.closeIdleConnections(), 20);
  await closed;
  clearInterval(sweep);
}
