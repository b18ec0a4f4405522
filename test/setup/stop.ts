import { endings } from './running.ts';

/** Stops what the setups of this run started; the second project that calls it finds nothing left. */
export default async function stop(): Promise<void> {
  for (let end = endings().pop(); end; end = endings().pop()) await end();
}
