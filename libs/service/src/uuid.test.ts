import { uuidV7 } from './uuid.ts';

test('a UUID of version 7 holds its time and its random bytes', () => {
  // RFC 9562, appendix A.6
  expect(uuidV7(0x017f22e279b0, Uint8Array.from([0x0c, 0xc3, 0x18, 0xc4, 0xdc, 0x0c, 0x0c, 0x07, 0x39, 0x8f]))).toBe(
    '017f22e2-79b0-7cc3-98c4-dc0c0c07398f',
  );
});

test('ids made a millisecond apart sort in the order of their making, and no two are the same', () => {
  const ids = Array.from({ length: 1_000 }, (_, millisecond) => uuidV7(1_233_835_200_000 + millisecond));
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(Array.from({ length: 1_000 }, () => uuidV7(0))).size).toBe(1_000);
});
