import type { IncomingMessage } from 'node:http';
import { errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider';
import type { DemoAccounts } from './accounts.ts';

const LARGEST_FORM_BYTES = 10_000;

/** The page on which somebody says which demo account to be, at `/interaction/<uid>`. There are no passwords. */
export function addLoginPage(provider: Provider, accounts: DemoAccounts): void {
  provider.use(async (ctx, next) => {
    if (!/^\/interaction\/[\w-]+$/.test(ctx.path)) return next();
    try {
      const { uid } = await provider.interactionDetails(ctx.req, ctx.res);
      if (ctx.method === 'POST') await signIn(provider, accounts, ctx, uid);
      else show(ctx, page(uid, accounts, null), 200);
    } catch (error) {
      if (!(error instanceof errors.OIDCProviderError)) throw error;
      show(
        ctx,
        '<!doctype html><title>Enjeu</title><p>This sign-in has expired. Begin again in the application.</p>',
        400,
      );
    }
  });
}

async function signIn(provider: Provider, accounts: DemoAccounts, ctx: Context, uid: string): Promise<void> {
  const subject = (await formOf(ctx.req)).get('subject') ?? '';
  if (accounts.find(subject) === null) return show(ctx, page(uid, accounts, subject), 422);
  ctx.respond = false;
  await provider.interactionFinished(ctx.req, ctx.res, { login: { accountId: subject } });
}

type Context = Pick<KoaContextWithOIDC, 'req' | 'res' | 'respond' | 'status' | 'type' | 'body' | 'set'>;

function show(ctx: Context, html: string, status: number): void {
  ctx.status = status;
  ctx.type = 'text/html; charset=utf-8';
  ctx.set('cache-control', 'no-store');
  ctx.set('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'");
  ctx.body = html;
}

function page(uid: string, accounts: DemoAccounts, unknown: string | null): string {
  const problem = unknown === null ? '' : `<p role="alert">There is no account “${escaped(unknown)}”.</p>`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Sign in · Enjeu demo</title>
<style>body{font:1rem/1.5 system-ui;max-width:24rem;margin:4rem auto;padding:0 1rem}input,button{font:inherit;padding:.5rem}</style>
<h1>Sign in</h1>
<p>Demo players are demo-1 to demo-${accounts.players}. There is no password.</p>
${problem}
<form method="post" action="/interaction/${uid}">
<label>Account <input name="subject" value="demo-1" required autofocus autocomplete="username"></label>
<button>Sign in</button>
</form>
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

async function formOf(request: IncomingMessage): Promise<URLSearchParams> {
  let text = '';
  for await (const chunk of request) {
    text += chunk;
    if (text.length > LARGEST_FORM_BYTES) throw new errors.InvalidRequest('the form is too large');
  }
  return new URLSearchParams(text);
}
