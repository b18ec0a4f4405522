import { type Configuration, interactionPolicy, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import { claimsOf, type DemoAccounts, openIdAccount } from './accounts.ts';
import { type ProviderKeys, SIGNING_ALGORITHM } from './key-file.ts';

const HOURS_s = 3_600;

/** The API that tokens are for, as a resource server (RFC 8707); what their `aud` says is `enjeu`. */
export const enjeuApi = {
  identifier: 'urn:enjeu:api',
  audience: 'enjeu',
  scope: '',
  accessTokenFormat: 'jwt' as const,
  accessTokenTTL: 8 * HOURS_s,
  jwt: { sign: { alg: SIGNING_ALGORITHM as 'ES256' } },
};

export interface ProviderOptions {
  readonly issuer: string;
  readonly accounts: DemoAccounts;
  readonly keys: ProviderKeys;
  /** Secret of the client `enjeu-cli`. */
  readonly cliSecret: string;
  /** Grant type of that client. */
  readonly cliGrant: string;
}

/** An OpenID provider for the embedded default: two clients, demo accounts, access tokens that are JWTs. */
export function makeProvider(options: ProviderOptions): Provider {
  return new Provider(options.issuer, {
    clients: [cliClient(options), playerWeb],
    clientDefaults: { id_token_signed_response_alg: SIGNING_ALGORITHM },
    enabledJWA: { idTokenSigningAlgValues: [SIGNING_ALGORITHM] },
    jwks: { keys: [...options.keys.jwks.keys] } as NonNullable<Configuration['jwks']>,
    cookies: { keys: [...options.keys.cookies] },
    clientBasedCORS: (_ctx, origin) => isLoopback(origin),
    findAccount: async (_ctx, subject) => {
      const account = options.accounts.find(subject);
      return account === null ? undefined : openIdAccount(account);
    },
    extraTokenClaims: async (_ctx, token) => {
      const account = 'accountId' in token ? options.accounts.find(String(token.accountId)) : null;
      return account === null ? {} : { ...claimsOf(account) };
    },
    features: {
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: async () => enjeuApi.identifier,
        useGrantedResource: async () => true,
        getResourceServerInfo: async () => enjeuApi,
      },
    },
    interactions: { policy: signInAlone(), url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
    loadExistingGrant: grantWithoutAsking,
    pkce: { required: () => true },
    ttl: {
      AccessToken: enjeuApi.accessTokenTTL,
      IdToken: HOURS_s,
      Session: 8 * HOURS_s,
      Interaction: HOURS_s,
      Grant: 8 * HOURS_s,
    },
  });
}

function cliClient({ cliSecret, cliGrant }: ProviderOptions) {
  return {
    client_id: 'enjeu-cli',
    client_secret: cliSecret,
    grant_types: [cliGrant],
    response_types: [],
    redirect_uris: [],
  };
}

/** A native client in the sense of RFC 8252: whatever port the gateway has, its loopback address is accepted. */
const playerWeb = {
  client_id: 'player-web',
  application_type: 'native' as const,
  token_endpoint_auth_method: 'none' as const,
  grant_types: ['authorization_code'],
  response_types: ['code' as const],
  redirect_uris: ['http://127.0.0.1/callback', 'http://localhost/callback'],
};

function isLoopback(origin: string): boolean {
  return URL.canParse(origin) && ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(origin).hostname);
}

/** Nobody is asked for consent: see below. */
function signInAlone() {
  const policy = interactionPolicy.base();
  policy.remove('consent');
  return policy;
}

/** Whoever signs in has agreed: there is nobody else's application here that could ask for anything. */
async function grantWithoutAsking(ctx: KoaContextWithOIDC) {
  const { client, session, provider } = ctx.oidc;
  if (!client || !session?.accountId) return undefined;
  const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
  grant.addOIDCScope('openid');
  await grant.save();
  return grant;
}
