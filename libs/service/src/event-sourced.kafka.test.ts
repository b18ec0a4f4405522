import { randomUUID } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { DomainEvent, Subject } from '#event-sourcing';
import { privateKeyFile, publicKeyEntry, signingKey } from '#fairness';
import { freshDatabase } from '../../../test/setup/database.ts';
import { openServiceBus } from './bus.ts';
import { EventSourced } from './event-sourced.ts';

const notes: Subject<number, DomainEvent> = { name: 'note', initial: 0, evolve: (count) => count + 1 };

test('on kafka what is appended is published, again when asked, and a log behind the bus refuses to serve', async () => {
  const database = await freshDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'enjeu-event-sourced-'));
  const key = signingKey(new Uint8Array(32).fill(9));
  const logKeyFile = join(folder, 'log.json');
  const keysFile = join(folder, 'keys.json');
  writeFileSync(logKeyFile, JSON.stringify(privateKeyFile(key.secretKey)));
  writeFileSync(keysFile, JSON.stringify({ keys: [publicKeyEntry(key, 'log', '2009-02-05T12:00:00.000Z')] }));
  // A source of its own, so that the topics of other tests stay theirs.
  const name = `notes-${randomUUID()}`;
  const bus = { ENJEU_BUS: 'kafka', KAFKA_BROKERS: process.env['ENJEU_TEST_KAFKA_BROKERS'] } as const;
  const make = (databaseUrl: string) =>
    new EventSourced({
      name,
      databaseUrl,
      migrations: [],
      entities: [],
      bus,
      headsFile: join(folder, `${randomUUID()}.heads`),
      logKeyFile,
      keysFile,
      handlers: () => [],
      sources: {},
    });
  const never = new AbortController().signal;
  const service = make(database.url);
  await service.open(never);
  const note = {
    states: [{ subject: notes, id: 'a' }],
    decide: (draft: { emit(subject: typeof notes, id: string, event: DomainEvent): void }) => {
      draft.emit(notes, 'a', { type: 'Noted' });
      return { answer: null };
    },
  };
  await service.lane.run([note, note, note]);

  const reader = openServiceBus(bus, 'reader');
  /** A broker that has just started refuses the first that ask. */
  const newestIs = async (position: number) => {
    const until = performance.now() + 20_000;
    while ((await reader.newest(name).catch(() => null))?.position !== position) {
      if (performance.now() > until) throw new Error(`position ${position} was not published within 20 s`);
      await pause(50);
    }
  };
  await newestIs(3);
  expect(await service.publishAgain(1)).toBe(true);
  expect(await service.publishAgain(3)).toBe(false);
  await service.close();
  await newestIs(4);

  const restored = await freshDatabase();
  const behind = make(restored.url);
  await expect(behind.open(never)).rejects.toThrow(/^log-behind-bus: /);
  await behind.close();
  await reader.close();
  await Promise.all([database.drop(), restored.drop()]);
}, 60_000);
