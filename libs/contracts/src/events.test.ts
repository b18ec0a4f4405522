import { readdirSync, readFileSync } from 'node:fs';
import { EventFormError, type EventType, events, parseEvent, schemaVersionOf } from './events.ts';

const folder = new URL('../golden/', import.meta.url);

type Golden = { readonly type: EventType; readonly version: number; readonly body: Record<string, unknown> };

const golden: Golden[] = readdirSync(folder).map((name) => {
  const [, type, version] = /^(\w+)\.v(\d+)\.json$/.exec(name)!;
  return {
    type: type as EventType,
    version: Number(version),
    body: JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Record<string, unknown>,
  };
});

const nameOf = ({ type, version }: { type: string; version: number }) => `${type}.v${version}`;

test('every version of every event has its golden file, and every golden file its event', () => {
  const published = Object.entries(events).flatMap(([type, { versions }]) =>
    versions.map((_, index) => nameOf({ type, version: index + 1 })),
  );
  expect(golden.map(nameOf).sort()).toEqual(published.sort());
});

test('every event has an upcaster from each version to the next', () => {
  for (const definition of Object.values(events)) {
    const upcasters = 'upcasters' in definition ? (definition.upcasters as readonly unknown[]) : [];
    expect(upcasters).toHaveLength(definition.versions.length - 1);
  }
});

describe.each(golden)('$type version $version', ({ type, version, body }) => {
  const parse = (changed: unknown) => parseEvent(type, version, changed);

  test('stays readable', () => {
    const read = parse(body);
    if (version === schemaVersionOf(type)) expect(read).toEqual(body);
  });

  test('refuses a member that is missing, and one that is unknown', () => {
    for (const member of Object.keys(body)) {
      const { [member]: _, ...rest } = body;
      expect(() => parse(rest)).toThrow(EventFormError);
    }
    expect(() => parse({ ...body, more: 1 })).toThrow(EventFormError);
  });

  test('refuses for every member what is of another kind', () => {
    for (const [member, value] of Object.entries(body)) {
      const wrong: unknown[] = typeof value === 'string' ? [7, '', `${value}\0`] : ['x', true];
      if (typeof value === 'number') wrong.push(0.5, 2 ** 53, -(2 ** 53), Number.NaN);
      for (const other of wrong) {
        const text = ['detail', 'subject'].includes(member) && other === '';
        if (!text) expect(() => parse({ ...body, [member]: other })).toThrow(EventFormError);
      }
    }
  });

  test('refuses what is no object at all', () => {
    for (const other of [null, [], [body], 'x', 1]) expect(() => parse(other)).toThrow(EventFormError);
  });
});

test('upper-case ids and hashes, times without three decimals, and prizes of zero that were credited are refused', () => {
  const of = (type: string) => golden.find((one) => one.type === type)!.body;
  const issued = of('UnitIssued');
  for (const changed of [
    { playId: String(issued['playId']).toUpperCase() },
    { seed: String(issued['seed']).toUpperCase() },
    { issuedAt: '2009-02-05T12:00:00Z' },
    { issuedAt: '2009-02-05T12:00:00.000000Z' },
    { prizeCents: -1 },
    { stakeCents: 0 },
  ]) {
    expect(() => parseEvent('UnitIssued', 1, { ...issued, ...changed })).toThrow(EventFormError);
  }
  expect(() => parseEvent('PrizeCredited', 1, { ...of('PrizeCredited'), prizeCents: 0 })).toThrow(EventFormError);
});

test('a version or a type that nobody knows is refused by name', () => {
  expect(() => parseEvent('StakeDebited', 2, {})).toThrow('StakeDebited version 2: no such event is known here');
  expect(() => parseEvent('StakeDebited', 0, {})).toThrow(EventFormError);
  expect(() => parseEvent('constructor' as EventType, 1, {})).toThrow(EventFormError);
});
