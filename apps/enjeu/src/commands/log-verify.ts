import pg from 'pg';
import { postgresLogReader, readHeadFile, verifyLog } from '#event-sourcing';
import { loadJwks } from '#service/files';
import { Failure } from '../failure.ts';
import type { Options } from '../main.ts';
import { findPlatform, ofService } from '../running-platform.ts';

const PROGRESS_EVERY_MS = 2_000;

/**
 * Reads a service's whole log through the read-only role, recomputes its chain and compares the signed heads, those in the
 * log and those in the file outside the database. A Failure names the first position that is wrong.
 */
export async function logVerify([verb, service = '']: readonly string[], options: Options): Promise<void> {
  if (verb !== 'verify') throw new Failure(`\`enjeu log\` is followed by verify, not ${JSON.stringify(verb)}`, 2);
  const { logUrls, headsFiles, keysFile } = findPlatform(options);
  const [logUrl, headsFile] = [ofService(logUrls, service), ofService(headsFiles, service)];
  if (!logUrl || !headsFile) throw new Failure(`${JSON.stringify(service)} has no log; ask wallet or issuance`, 2);
  const client = new pg.Client({ connectionString: logUrl });
  try {
    await client.connect();
    const result = await verifyLog(postgresLogReader(client), {
      signedHeads: readHeadFile(headsFile),
      keys: loadJwks(keysFile),
      onProgress: progress(),
    });
    if (result.fault) {
      const { kind, position, detail } = result.fault;
      throw new Failure(`the log of ${service} is not as it was written: ${kind} at position ${position}: ${detail}`);
    }
    console.log(
      `the log of ${service} is whole: ${result.events} events in ${result.batches} batches, ${result.heads} signed heads agree`,
    );
    console.log(`  chain ${result.head.chain} at position ${result.head.position}`);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`the log of ${service} cannot be read: ${(error as Error).message}`);
  } finally {
    await client.end().catch(() => undefined);
  }
}

function progress(): (position: number, of: number) => void {
  let toldAt = Date.now();
  return (position, of) => {
    if (Date.now() - toldAt < PROGRESS_EVERY_MS) return;
    toldAt = Date.now();
    console.error(`${position} of ${of} events read`);
  };
}
