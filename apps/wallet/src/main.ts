import { runService } from '#service';
import { startWallet } from './wallet.ts';

await runService('wallet', () => startWallet(process.env));
