import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';

/** An OpenID provider as far as the gateway asks one: its configuration, its keys, and tokens. */
export class TestIssuer {
  url = '';
  away = false;
  asked = 0;
  #server: Server | null = null;
  #key: CryptoKey | null = null;

  async start(): Promise<void> {
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    this.#key = privateKey;
    const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256', use: 'sig' };
    const server = createServer((request, response) => {
      this.asked += 1;
      if (this.away) return void request.socket.destroy();
      const configuration = { issuer: this.url, jwks_uri: `${this.url}/jwks` };
      const body = request.url === '/jwks' ? { keys: [jwk] } : configuration;
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server?.closeAllConnections();
    this.#server?.close();
  }

  /** A token as the embedded provider issues it; claims may be replaced, or taken away with undefined. */
  token(subject: string, claims: Record<string, unknown> = {}, key = this.#key as CryptoKey): Promise<string> {
    const now = Math.floor(Date.now() / 1_000);
    const payload = { iss: this.url, aud: 'enjeu', sub: subject, kind: 'player', iat: now, exp: now + 600, ...claims };
    return new SignJWT(payload).setProtectedHeader({ alg: 'ES256', kid: 'one' }).sign(key);
  }
}
