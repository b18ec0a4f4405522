import * as z from 'zod';

/** The prize table alone says everything. */
export const match1Stake = z
  .strictObject({})
  .describe('Empty: the table alone says everything, and has at least five rows');
export const match1Regulation = z.strictObject({}).describe('Empty: this mechanic needs nothing here');
