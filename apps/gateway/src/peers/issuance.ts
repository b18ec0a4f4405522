import type {
  BlocksResponse,
  BlockView,
  RaiseIncidentRequest,
  RaiseIncidentResponse,
  ReceiptResponse,
  SalesResponse,
  SaleView,
} from '#contracts';
import type { InternalClient } from '#service';
import { answerOf, isRefusal } from './away.ts';

/** Issuance's internal API. Every call rejects with Away when issuance does not answer. */
export class Issuance {
  constructor(private readonly client: InternalClient) {}

  async sales(): Promise<readonly SaleView[]> {
    return (await answerOf('issuance', this.client.get<SalesResponse>('/sales'))).sales;
  }

  /** Commitments in order of entry. @param limit 1 to 100 */
  blocks(from: number, limit: number): Promise<BlocksResponse> {
    return answerOf('issuance', this.client.get(`/blocks?from=${from}&limit=${limit}`));
  }

  /** Null where no such block was committed. */
  async block(blockId: string): Promise<BlockView | null> {
    try {
      return await answerOf('issuance', this.client.get<BlockView>(`/blocks/${blockId}`));
    } catch (error) {
      if (isRefusal(error, 'block-unknown')) return null;
      throw error;
    }
  }

  /** `enjeu-receipt/1` of a block's sale, as signed. */
  async receipt(blockId: string, sequence: number): Promise<Record<string, unknown>> {
    const call = this.client.get<ReceiptResponse>(`/blocks/${blockId}/units/${sequence}/receipt`);
    return (await answerOf('issuance', call)).receipt;
  }

  /** Tells of an incident, which is raised once for its kind and subject however often it is told. */
  raise(incident: RaiseIncidentRequest): Promise<RaiseIncidentResponse> {
    return answerOf('issuance', this.client.post('/incidents', incident));
  }
}
