/** A set of the digits 1 to 9 is a number below 512 whose bit d - 1 says that digit d is in it; of blocks likewise. */
export type NineSet = number;

export const ALL_SETS = 512;
export const ALL_DIGITS: NineSet = 0b111111111;

export function sizeOf(set: NineSet): number {
  let size = 0;
  for (let rest = set; rest !== 0; rest &= rest - 1) size++;
  return size;
}

export function isWithin(inner: NineSet, outer: NineSet): boolean {
  return (inner & ~outer) === 0;
}

/** What is in a set, from 1 to 9, in order. */
export function membersOf(set: NineSet): number[] {
  return [1, 2, 3, 4, 5, 6, 7, 8, 9].filter((member) => (set >> (member - 1)) & 1);
}

/** All sets of each size from 0 to 9. */
export const SETS_OF_SIZE: readonly (readonly NineSet[])[] = Array.from({ length: 10 }, (_, size) =>
  Array.from({ length: ALL_SETS }, (_, set) => set).filter((set) => sizeOf(set) === size),
);
