import { type DynamicModule, Module } from '@nestjs/common';
import { AccountsController } from './accounts/accounts.ts';
import { BlocksController } from './blocks/blocks.ts';
import { Players } from './callers/players.ts';
import { Tokens } from './callers/tokens.ts';
import { Catalog } from './games/catalog.ts';
import { GamesController } from './games/games.ts';
import { Sales } from './games/sales.ts';
import type { Gateway } from './gateway.ts';
import { KeysController, PublicKeys } from './keys/keys.ts';
import { Issuance } from './peers/issuance.ts';
import { Wallet } from './peers/wallet.ts';
import { PlacePlay } from './plays/place-play.ts';
import { PlayViews } from './plays/play-view.ts';
import { PlaysController } from './plays/plays.ts';
import { ReadPlays } from './plays/read-plays.ts';
import { Receipts } from './plays/receipts.ts';
import { Seen } from './plays/seen.ts';
import { WalletController } from './wallet/wallet.ts';

@Module({})
export class GatewayModule {}

/** The public API over a gateway. */
export function gatewayModule(gateway: Gateway): DynamicModule {
  return {
    module: GatewayModule,
    controllers: [
      PlaysController,
      GamesController,
      AccountsController,
      WalletController,
      BlocksController,
      KeysController,
    ],
    providers: [
      { provide: Catalog, useValue: gateway.catalog },
      { provide: Sales, useValue: gateway.sales },
      { provide: PublicKeys, useValue: gateway.keys },
      { provide: Tokens, useValue: gateway.tokens },
      { provide: Players, useValue: gateway.players },
      { provide: Wallet, useValue: gateway.wallet },
      { provide: Issuance, useValue: gateway.issuance },
      { provide: PlacePlay, useValue: gateway.placePlay },
      { provide: ReadPlays, useValue: gateway.readPlays },
      { provide: Seen, useValue: gateway.seen },
      { provide: Receipts, useValue: gateway.receipts },
      { provide: PlayViews, useValue: gateway.playViews },
    ],
  };
}
