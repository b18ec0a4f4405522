import type { FindPlaysResponse, PlayRecord, PlaysResponse, SeenResponse } from '#contracts';
import type { InternalClient } from '#service';
import { answerOf, isRefusal } from './away.ts';

/** The history's internal API. Every call rejects with Away when the history does not answer. */
export class History {
  constructor(private readonly client: InternalClient) {}

  /** Newest first, below the wallet position `before`. @param limit 1 to 100 */
  plays(playerId: string, before: number | null, limit: number): Promise<PlaysResponse> {
    const query = before === null ? '' : `before=${before}&`;
    return answerOf('history', this.client.get(`/players/${playerId}/plays?${query}limit=${limit}`));
  }

  /** What it knows of these plays, at most 200; unknown ones are left out. */
  async find(playIds: readonly string[]): Promise<readonly PlayRecord[]> {
    return (await answerOf('history', this.client.post<FindPlaysResponse>('/plays/find', { playIds }))).items;
  }

  /** When the play was first marked as seen; null where the history does not know it (yet). */
  async markSeen(playId: string, playerId: string): Promise<string | null> {
    try {
      const marked = await answerOf('history', this.client.post<SeenResponse>(`/plays/${playId}/seen`, { playerId }));
      return marked.seenAt;
    } catch (error) {
      if (isRefusal(error, 'play-unknown')) return null;
      throw error;
    }
  }
}
