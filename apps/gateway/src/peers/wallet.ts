import type {
  AcceptRequest,
  AcceptResponse,
  AccountView,
  Debit,
  DebitsResponse,
  EntriesResponse,
  FindDebitsResponse,
  FindHolderResponse,
  OpenAccountResponse,
  StakeDecision,
  StakesResponse,
  StakeToDebit,
} from '#contracts';
import { type InternalClient, Problem } from '#service';
import { answerOf, isRefusal } from './away.ts';

/** Who a token speaks of. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
}

/** The wallet's internal API. Every call rejects with Away when the wallet does not answer. */
export class Wallet {
  constructor(private readonly client: InternalClient) {}

  /** One decision each, in order. Rejects with whatever the call failed with: the stakes may have been debited. */
  async debitStakes(stakes: readonly StakeToDebit[]): Promise<readonly StakeDecision[]> {
    return (await this.client.post<StakesResponse>('/stakes', { stakes })).decisions;
  }

  openAccount(identity: Identity): Promise<OpenAccountResponse> {
    return answerOf('wallet', this.client.post('/accounts', identity));
  }

  /** The player id of this identity, or null where it has no account. */
  async findHolder(identity: Identity): Promise<string | null> {
    try {
      return (await answerOf('wallet', this.client.post<FindHolderResponse>('/holders/find', identity))).playerId;
    } catch (error) {
      if (isRefusal(error, 'no-account')) return null;
      throw error;
    }
  }

  /** 404 `no-account` where it is not open. */
  async account(playerId: string): Promise<AccountView> {
    try {
      return await answerOf('wallet', this.client.get(`/accounts/${playerId}`));
    } catch (error) {
      if (isRefusal(error, 'no-account')) throw new Problem(404, 'no-account', 'You have no account yet.');
      throw error;
    }
  }

  accept(request: AcceptRequest): Promise<AcceptResponse> {
    return answerOf('wallet', this.client.post('/acceptances', request));
  }

  /** Newest first, below the position `before`; null where that is no entry of this account. @param limit 1 to 200 */
  async entries(playerId: string, before: number | null, limit: number): Promise<EntriesResponse | null> {
    const query = before === null ? '' : `before=${before}&`;
    try {
      return await answerOf('wallet', this.client.get(`/accounts/${playerId}/entries?${query}limit=${limit}`));
    } catch (error) {
      if (isRefusal(error, 'bad-request')) return null;
      throw error;
    }
  }

  /** The account's debits above a position, newest first. @param limit 1 to 200 */
  debits(playerId: string, above: number, limit: number): Promise<DebitsResponse> {
    return answerOf('wallet', this.client.get(`/accounts/${playerId}/debits?above=${above}&limit=${limit}`));
  }

  /** The debit of this play, or null where it was never debited. */
  async debitOf(playId: string): Promise<Debit | null> {
    const found = await answerOf('wallet', this.client.post<FindDebitsResponse>('/debits/find', { playIds: [playId] }));
    return found.items[0] ?? null;
  }
}
