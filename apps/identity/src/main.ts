import { runService } from '#service';
import { startIdentity } from './identity.ts';

await runService('identity', () => startIdentity(process.env));
