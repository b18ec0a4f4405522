import fc from 'fast-check';
import { fromHex, idBytes, isDate, isTime, toBase64Url, toHex, u32 } from '#fairness';
import { fromBase64Url } from './base64url.ts';

test('hex and base64url read back what they wrote', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 70 }), (bytes) => {
      expect(fromHex(toHex(bytes))).toEqual(bytes);
      expect(fromBase64Url(toBase64Url(bytes), bytes.length)).toEqual(bytes);
      expect(toBase64Url(bytes)).toBe(Buffer.from(bytes).toString('base64url'));
    }),
  );
});

test('base64url with bits left over, padding or other letters is refused', () => {
  for (const text of ['AB', 'AA=', 'A', 'A+', 'A/', 'A A', 'AAA'])
    expect(() => fromBase64Url(text, 1)).toThrow(RangeError);
  expect(fromBase64Url('AA', 1)).toEqual(Uint8Array.of(0));
});

test('hex of another length, in capitals or odd is refused', () => {
  for (const text of ['0', '0g', 'AA', '00 ', '0x00']) expect(() => fromHex(text)).toThrow(RangeError);
  expect(() => fromHex('00', 2)).toThrow(/not 2 bytes/);
});

test('ids are lower-case UUIDs of sixteen bytes', () => {
  expect(toHex(idBytes('0197f3c0-1234-7abc-8def-0123456789ab'))).toBe('0197f3c012347abc8def0123456789ab');
  for (const id of [
    '',
    '0197F3C0-1234-7abc-8def-0123456789ab',
    '0197f3c012347abc8def0123456789ab',
    '{0197f3c0-1234-7abc-8def-0123456789ab}',
  ]) {
    expect(() => idBytes(id)).toThrow(/UUID/);
  }
});

test('four bytes hold unsigned 32-bit integers alone', () => {
  expect([...u32(0x01020304), ...u32(2 ** 32 - 1)]).toEqual([1, 2, 3, 4, 255, 255, 255, 255]);
  for (const value of [-1, 2 ** 32, 0.5, Number.NaN]) expect(() => u32(value)).toThrow(RangeError);
});

test('days and times are those of the calendar, in their one spelling', () => {
  for (const day of ['2009-02-28', '2008-02-29', '2000-02-29', '2009-12-31'])
    expect([day, isDate(day)]).toEqual([day, true]);
  for (const day of [
    '2009-02-29',
    '1900-02-29',
    '2009-04-31',
    '2009-13-01',
    '2009-00-01',
    '2009-01-00',
    '2009-1-1',
    '',
  ]) {
    expect([day, isDate(day)]).toEqual([day, false]);
  }
  expect(isTime('2009-02-05T23:59:59.999Z')).toBe(true);
  for (const time of [
    '2009-02-05T24:00:00.000Z',
    '2009-02-05T23:60:00.000Z',
    '2009-02-05T23:59:60.000Z',
    '2009-02-05T12:00:00Z',
    '2009-02-05 12:00:00.000Z',
    '2009-02-05T12:00:00.000+00:00',
    '2009-02-30T12:00:00.000Z',
  ]) {
    expect([time, isTime(time)]).toEqual([time, false]);
  }
});
