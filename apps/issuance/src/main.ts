import { runService } from '#service';
import { startIssuance } from './issuance.ts';

await runService('issuance', () => startIssuance(process.env));
