import type { Account } from 'oidc-provider';

export const ROLES = ['operator', 'supervisor', 'auditor'] as const;
export type Role = (typeof ROLES)[number];

/** Of each role two, for what takes two people. */
const OPERATORS_A_ROLE = 2;

/** Somebody who can sign in: a player, or an operator with a role. */
export type DemoAccount =
  | { readonly subject: string; readonly kind: 'player'; readonly roles: readonly [] }
  | { readonly subject: string; readonly kind: 'operator'; readonly roles: readonly [Role] };

/** The accounts of the embedded default: `demo-1`, `demo-2`, … and `operator-1`, `supervisor-1`, `auditor-1`, … */
export class DemoAccounts {
  readonly #bySubject: ReadonlyMap<string, DemoAccount>;

  constructor(players: number) {
    const demoPlayers = Array.from({ length: players }, (_, index): DemoAccount => {
      return { subject: `demo-${index + 1}`, kind: 'player', roles: [] };
    });
    const operators = ROLES.flatMap((role) =>
      Array.from({ length: OPERATORS_A_ROLE }, (_, index): DemoAccount => {
        return { subject: `${role}-${index + 1}`, kind: 'operator', roles: [role] };
      }),
    );
    this.#bySubject = new Map([...demoPlayers, ...operators].map((account) => [account.subject, account]));
  }

  find(subject: string): DemoAccount | null {
    return this.#bySubject.get(subject) ?? null;
  }

  /** The account of this name, which must have the role where one is given; without a name the role's first one. */
  findWithRole(subject: string, role: string): DemoAccount | null {
    const account = this.find(subject === '' ? `${role}-1` : subject);
    return account !== null && (account.roles as readonly string[]).includes(role) ? account : null;
  }

  get players(): number {
    return [...this.#bySubject.values()].filter(({ kind }) => kind === 'player').length;
  }
}

/** What an access token says about its holder, beside the standard claims. */
export function claimsOf(account: DemoAccount): { readonly kind: string; readonly roles: readonly string[] } {
  return { kind: account.kind, roles: account.roles };
}

/** The account as the OpenID provider wants it. */
export function openIdAccount({ subject }: DemoAccount): Account {
  return { accountId: subject, claims: async () => ({ sub: subject }) };
}
