import * as z from 'zod';

/** The prize table alone says everything. */
export const match1Stake = z.strictObject({});
export const match1Regulation = z.strictObject({});
