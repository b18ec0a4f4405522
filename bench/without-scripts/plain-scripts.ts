import type { JudgeScript } from '#mechanics';

const SCRIPT = { mechanic: 'none/1' };
const DIGEST = '0'.repeat(64);

/** In the place of the shelf that renders and judges: every unit has the same script. */
export class ScriptShelf {
  readonly scriptOf: JudgeScript = () => ({ script: SCRIPT, digest: DIGEST });
}
