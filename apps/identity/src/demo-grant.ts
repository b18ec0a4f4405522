import { errors, type Provider } from 'oidc-provider';
import type { DemoAccount, DemoAccounts } from './accounts.ts';
import { enjeuApi } from './provider.ts';

export const DEMO_GRANT = 'urn:enjeu:grant:demo';

/**
 * The grant behind `enjeu token`: an access token for any demo account, without a password.
 * Parameters: `subject`, and `role` for an operator (without a subject the first of that role).
 */
export function addDemoGrant(provider: Provider, accounts: DemoAccounts): void {
  provider.registerGrantType<{ subject?: string; role?: string }>(
    DEMO_GRANT,
    async (ctx) => {
      const { client, params } = ctx.oidc;
      const { subject } = accountFor(accounts, params.subject ?? '', params.role ?? '');
      const grant = new provider.Grant({ accountId: subject, clientId: client.clientId });
      const token = new provider.AccessToken({
        accountId: subject,
        client,
        grantId: await grant.save(),
        gty: DEMO_GRANT,
        resourceServer: new provider.ResourceServer(enjeuApi.identifier, enjeuApi),
      });
      const value = await token.save();
      ctx.body = { access_token: value, expires_in: token.expiration, token_type: token.tokenType };
    },
    ['subject', 'role'],
  );
}

function accountFor(accounts: DemoAccounts, subject: string, role: string): DemoAccount {
  const account = role === '' ? accounts.find(subject) : accounts.findWithRole(subject, role);
  if (account !== null) return account;
  throw new errors.CustomOIDCProviderError(
    'invalid_grant',
    role === ''
      ? `there is no ${subject || 'account without a name'}; players are demo-1 to demo-${accounts.players}`
      : `there is no ${subject || 'operator'} with the role ${role}; roles are operator, supervisor and auditor`,
  );
}
