import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { runSource } from '../../../test/process/source-process.ts';
import { type Identity, startIdentity } from './identity.ts';

const SECRET = 'a-secret-of-the-command-line';
const ISSUER = 'http://127.0.0.1:3002';
const folder = mkdtempSync(join(tmpdir(), 'enjeu-identity-'));
const environment = {
  PORT: '0',
  ENJEU_EMBEDDED: '1',
  ENJEU_OIDC_ISSUER: ISSUER,
  ENJEU_IDENTITY_DIR: folder,
  ENJEU_CLI_SECRET: SECRET,
};

let identity: Identity;
beforeAll(async () => {
  identity = await startIdentity(environment);
});
afterAll(() => identity.stop());

async function askToken(parameters: Record<string, string>, secret = SECRET) {
  const response = await fetch(`${identity.url}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`enjeu-cli:${secret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'urn:enjeu:grant:demo', ...parameters }),
  });
  return (await response.json()) as { access_token: string; error?: string; error_description?: string };
}

function verify(token: string) {
  const keys = createRemoteJWKSet(new URL(`${identity.url}/jwks`));
  return jwtVerify(token, keys, { issuer: ISSUER, audience: 'enjeu' });
}

test('a player’s token verifies against the published keys and says who and what its holder is', async () => {
  const { access_token } = await askToken({ subject: 'demo-20' });
  const { payload, protectedHeader } = await verify(access_token);
  expect(payload).toMatchObject({ sub: 'demo-20', kind: 'player', roles: [], client_id: 'enjeu-cli' });
  expect(protectedHeader).toMatchObject({ alg: 'ES256', typ: 'at+jwt' });
  expect(payload.exp! - payload.iat!).toBe(8 * 3_600);
});

test.each([
  [{ subject: '', role: 'supervisor' }, 'supervisor-1', ['supervisor']],
  [{ subject: 'supervisor-2', role: 'supervisor' }, 'supervisor-2', ['supervisor']],
  [{ subject: 'auditor-1' }, 'auditor-1', ['auditor']],
])('%j is a token of %s', async (parameters, sub, roles) => {
  const { payload } = await verify((await askToken(parameters)).access_token);
  expect(payload).toMatchObject({ sub, kind: 'operator', roles });
});

test.each([
  [{ subject: 'demo-21' }, /there is no demo-21; players are demo-1 to demo-20/],
  [{ subject: 'demo-0' }, /there is no demo-0/],
  [{ subject: '' }, /there is no account without a name/],
  [{ subject: 'demo-1', role: 'supervisor' }, /there is no demo-1 with the role supervisor/],
  [{ subject: 'auditor-1', role: 'supervisor' }, /there is no auditor-1 with the role supervisor/],
  [{ role: 'owner' }, /there is no operator with the role owner/],
])('for %j there is no token', async (parameters, description) => {
  const answer = await askToken(parameters as Record<string, string>);
  expect(answer.error).toBe('invalid_grant');
  expect(answer.error_description).toMatch(description);
});

test('without the secret there is no token', async () => {
  expect((await askToken({ subject: 'demo-1' }, 'guessed-secret-of-the-client')).error).toBe('invalid_client');
});

test('a token stays valid over a restart, and the keys are for nobody else’s eyes', async () => {
  const { access_token } = await askToken({ subject: 'demo-1' });
  await identity.stop();
  identity = await startIdentity(environment);
  await expect(verify(access_token)).resolves.toMatchObject({ payload: { sub: 'demo-1' } });
  expect(statSync(join(folder, 'provider-keys.json')).mode & 0o077).toBe(0);
});

test('it is discovered, live and ready', async () => {
  const discovered = (await (await fetch(`${identity.url}/.well-known/openid-configuration`)).json()) as object;
  expect(discovered).toMatchObject({ issuer: ISSUER });
  for (const path of ['/health/live', '/health/ready']) expect((await fetch(identity.url + path)).status).toBe(200);
});

describe('the web application’s sign-in', () => {
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const redirect = 'http://127.0.0.1:3000/callback';

  /** A browser that keeps its cookies and follows nothing by itself. */
  function browser() {
    const cookies = new Map<string, string>();
    return async (address: string, init: RequestInit = {}) => {
      const url = new URL(address.replace(ISSUER, identity.url), identity.url);
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(url, { ...init, redirect: 'manual', headers: { ...init.headers, cookie } });
      for (const line of response.headers.getSetCookie()) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
        if (value === '') cookies.delete(name!);
        else cookies.set(name!, value!);
      }
      return response;
    };
  }

  function authorization(parameters: Record<string, string> = {}): string {
    return `/auth?${new URLSearchParams({
      client_id: 'player-web',
      response_type: 'code',
      scope: 'openid',
      redirect_uri: redirect,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      state: 'xyz',
      ...parameters,
    })}`;
  }

  async function signIn(visit: ReturnType<typeof browser>, subject: string): Promise<URL> {
    const page = (await visit(authorization())).headers.get('location')!;
    expect(await (await visit(page)).text()).toContain('There is no password');
    const signedIn = await visit(page, { method: 'POST', body: new URLSearchParams({ subject }) });
    const back = await visit(signedIn.headers.get('location')!);
    return new URL(back.headers.get('location')!);
  }

  function exchange(code: string, code_verifier: string) {
    return fetch(`${identity.url}/token`, {
      method: 'POST',
      headers: { origin: 'http://127.0.0.1:3000' },
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: 'player-web',
        redirect_uri: redirect,
        code,
        code_verifier,
      }),
    });
  }

  test('gives a code that is exchanged for the same kind of token, from any loopback port', async () => {
    const back = await signIn(browser(), 'demo-3');
    expect(back.href).toMatch(/^http:\/\/127\.0\.0\.1:3000\/callback\?/);
    expect(back.searchParams.get('state')).toBe('xyz');
    const response = await exchange(back.searchParams.get('code')!, verifier);
    expect(response.headers.get('access-control-allow-origin')).toBe('http://127.0.0.1:3000');
    const { access_token } = (await response.json()) as { access_token: string };
    expect((await verify(access_token)).payload).toMatchObject({
      sub: 'demo-3',
      kind: 'player',
      client_id: 'player-web',
    });
  });

  test('gives no token without the verifier of the code', async () => {
    const back = await signIn(browser(), 'demo-3');
    const response = await exchange(back.searchParams.get('code')!, randomBytes(32).toString('base64url'));
    expect(response.status).toBe(400);
  });

  test('wants PKCE, and sends nobody anywhere else', async () => {
    const visit = browser();
    const unprotected = await visit(authorization({ code_challenge: '' }));
    expect(unprotected.headers.get('location')).toContain('error=invalid_request');
    const elsewhere = await visit(authorization({ redirect_uri: 'http://evil.example/callback' }));
    expect([elsewhere.status, elsewhere.headers.get('location')]).toEqual([400, null]);
  });

  test('refuses an account that does not exist, and writes no markup of others into its page', async () => {
    const visit = browser();
    const page = (await visit(authorization())).headers.get('location')!;
    const refused = await visit(page, {
      method: 'POST',
      body: new URLSearchParams({ subject: '<script>alert(1)</script>' }),
    });
    expect(refused.status).toBe(422);
    expect(await refused.text()).not.toContain('<script>');
  });

  test('an interaction that nobody began is expired', async () => {
    expect((await browser()('/interaction/nobody')).status).toBe(400);
  });
});

describe('it refuses to start', () => {
  test.each([
    ['outside of the embedded mode', { ENJEU_EMBEDDED: '' }, /ENJEU_EMBEDDED is missing/],
    ['with anything but 1 for it', { ENJEU_EMBEDDED: 'no' }, /ENJEU_EMBEDDED must be/],
    ['on all addresses', { ENJEU_HOST: '0.0.0.0' }, /ENJEU_HOST must be one of 127\.0\.0\.1, ::1, localhost/],
    ['on a public address', { ENJEU_HOST: '192.0.2.1' }, /ENJEU_HOST must be/],
    ['without a folder', { ENJEU_IDENTITY_DIR: '' }, /ENJEU_IDENTITY_DIR is missing/],
  ])('%s', async (_, changed, message) => {
    await expect(startIdentity({ ...environment, ...changed })).rejects.toThrow(message);
  });

  test('on a port in use', async () => {
    const { port } = new URL(identity.url);
    await expect(startIdentity({ ...environment, PORT: port })).rejects.toThrow(`port ${port} on 127.0.0.1 is in use`);
  });
});

test('as a process, its refusal is one line and exit code 1', async () => {
  const main = fileURLToPath(new URL('./main.ts', import.meta.url));
  const refused = runSource(main, { ...environment, ENJEU_HOST: '0.0.0.0' });
  expect(await refused.ended).toBe(1);
  expect(refused.output.stderr).toMatch(/^enjeu identity: bad configuration: ENJEU_HOST must be one of [^\n]*\n$/);
}, 30_000);
