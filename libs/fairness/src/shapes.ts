import * as z from 'zod';
import { type Cents, cents } from '#money';
import { isTime } from './times.ts';

/** Hashes and values of so many bytes, lower-case hex. */
export const hexShape = (bytes: number) =>
  z.string().regex(new RegExp(`^[0-9a-f]{${bytes * 2}}$`), `must be ${bytes} bytes of lower-case hex`);

export const idShape = z
  .string()
  .regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/, 'must be a lower-case UUID');

export const timeShape = z.string().refine(isTime, 'must be a UTC time with three decimals');

const MOST = 2 ** 32 - 1;

/** A count or an amount that stands in four bytes somewhere. */
export const u32Shape = z.int().min(1).max(MOST);

export const centsShape = u32Shape.transform((amount): Cents => cents(amount));

/** A unit's or a sale's place in a block, from 0. */
export const placeShape = z
  .int()
  .min(0)
  .max(MOST - 1);

export const gameShape = z.string().regex(/^[a-z][a-z0-9-]*$/, 'must be lower-case letters, digits and hyphens');

export const regulationIdShape = z
  .string()
  .regex(/^[a-z][a-z0-9-]*@\d{4}-\d{2}-\d{2}$/, 'must be like game@2009-01-26');

export const mechanicShape = z.string().regex(/^[a-z][a-z0-9-]*\/[1-9]\d*$/, 'must be like game/1');

/** A key's RFC 7638 thumbprint. */
export const keyIdShape = z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'must be an RFC 7638 thumbprint');

export const signatureShape = hexShape(64);
