import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { batchDigest, canonicalLine, canonicalLines, eventOfLine, firstChain, nextChain } from './chain.ts';
import { someEvent } from './log-contract.ts';

const golden = JSON.parse(readFileSync(new URL('./chain.golden.json', import.meta.url), 'utf8'));

test('lines, digest and chain are those that other implementations compute', () => {
  const events = golden.lines.map(eventOfLine);
  expect(events.map(canonicalLine)).toEqual(golden.lines);
  expect(batchDigest(canonicalLines(events)).toString('hex')).toBe(golden.digest);
  expect(firstChain(golden.logId)).toBe(golden.firstChain);
  expect(nextChain(golden.firstChain, Buffer.from(golden.digest, 'hex'))).toBe(golden.chainAfter);
});

test('a line reads back as the event that it was made of', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), fc.integer({ min: 1 }), (stream, data, version) => {
      const { stream: _, ...event } = { ...someEvent({ stream, data, version }) };
      expect(eventOfLine(canonicalLine({ ...event, stream }))).toEqual({ ...event, stream });
    }),
  );
});

test.each(['', '{}', '[1,2]', '["a",1,"b",1,"c",null]'])('%p is no line', (line) => {
  expect(() => eventOfLine(line)).toThrow(SyntaxError);
});
