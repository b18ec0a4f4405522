import { Controller, Get, Param } from '@nestjs/common';
import type { ReceiptResponse } from '#contracts';
import { Problem, UuidPipe, unavailable, WholeNumberPipe } from '#service';
import { Receipts } from './receipts.ts';

/** Proofs are computed beside running plays: so many at once, the rest is told to come again. */
const AT_ONCE = 64;

const blockIdParam = new UuidPipe('block-unknown');
const sequenceParam = new WholeNumberPipe('sequence', { min: 0, max: 2 ** 32 - 1, otherwise: 0 });

@Controller('internal/v1/blocks')
export class ReadReceiptsController {
  #running = 0;

  constructor(private readonly receipts: Receipts) {}

  @Get(':id/units/:sequence/receipt')
  async receipt(
    @Param('id', blockIdParam) blockId: string,
    @Param('sequence', sequenceParam) sequence: number,
  ): Promise<ReceiptResponse> {
    if (this.#running >= AT_ONCE) throw unavailable('too-busy', 'Too many receipts are being made; try again.', 1);
    this.#running += 1;
    try {
      const receipt = await this.receipts.of(blockId, sequence);
      if (receipt === null) throw new Problem(404, 'unit-unknown', 'This block has had no such sale.');
      return { receipt: { ...receipt } };
    } finally {
      this.#running -= 1;
    }
  }
}
