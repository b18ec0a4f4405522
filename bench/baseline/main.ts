import { Module } from '@nestjs/common';
import { database, listening, loadRegulations, oidc, readConfig, runService, startService, uuidV7 } from '#service';
import { Players } from '../../apps/gateway/src/callers/players.ts';
import { Tokens } from '../../apps/gateway/src/callers/tokens.ts';
import { Catalog } from '../../apps/gateway/src/games/catalog.ts';
import type { Identity } from '../../apps/gateway/src/peers/wallet.ts';
import { PlacePlay } from '../../apps/gateway/src/plays/place-play.ts';
import type { PlayRequest } from '../../apps/gateway/src/plays/play-request.ts';
import { PlaysController } from '../../apps/gateway/src/plays/plays.ts';
import { ReadPlays } from '../../apps/gateway/src/plays/read-plays.ts';
import { Seen } from '../../apps/gateway/src/plays/seen.ts';
import { OneTransactionAPlay } from './one-transaction-a-play.ts';

@Module({})
class BaselineModule {}

// The gateway's own door (Nest, Fastify, tokens, the checks of the body and the key), with one transaction behind it.
await runService('baseline', async () => {
  const config = readConfig({ ...listening(3900), ...oidc, ...database });
  const plays = await OneTransactionAPlay.open(config.ENJEU_DATABASE_URL);
  const place = async (playerId: string, _key: string, request: PlayRequest) => {
    const playId = uuidV7();
    const at = new Date().toISOString();
    const { prizeCents, unit } = await plays.place(playerId, playId, request.game, request.stakeCents);
    return {
      playId,
      playerId,
      game: request.game,
      regulation: request.regulation,
      stakeCents: request.stakeCents,
      mode: request.mode,
      status: prizeCents > 0 ? 'won' : 'lost',
      prizeCents,
      unitIndex: unit,
      placedAt: at,
      settledAt: at,
    };
  };
  const byName = { findHolder: async ({ subject }: Identity) => subject };
  const module = {
    module: BaselineModule,
    controllers: [PlaysController],
    providers: [
      { provide: Catalog, useValue: new Catalog(loadRegulations().all) },
      {
        provide: Tokens,
        useValue: new Tokens({ issuer: config.ENJEU_OIDC_ISSUER, audience: config.ENJEU_OIDC_AUDIENCE }),
      },
      { provide: Players, useValue: new Players(byName) },
      { provide: PlacePlay, useValue: { place } },
      { provide: ReadPlays, useValue: null },
      { provide: Seen, useValue: null },
    ],
  };
  return startService(module, {
    name: 'baseline',
    port: config.PORT,
    host: config.ENJEU_HOST,
    logLevel: config.ENJEU_LOG_LEVEL,
    ready: async () => undefined,
    stop: [() => plays.close()],
  });
});
