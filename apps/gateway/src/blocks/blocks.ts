import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { BlocksPage, PublicBlock } from '#contracts/http';
import { Problem, UuidPipe, WholeNumberPipe } from '#service';
import { AnswersProblems } from '../api-problems.ts';
import { CursorPipe, cursorOf } from '../cursor.ts';
import { Issuance } from '../peers/issuance.ts';

const LIST = 'blocks';

@ApiTags('blocks')
@Controller('api/v1/blocks')
export class BlocksController {
  constructor(private readonly issuance: Issuance) {}

  @Get()
  @ApiOperation({ summary: 'The chained list of commitments, from its first entry on', security: [] })
  @ApiQuery({ name: 'cursor', required: false, type: String })
  @ApiQuery({ name: 'limit', required: false, schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 } })
  @ApiOkResponse({ type: BlocksPage })
  @AnswersProblems('bad-request', 'issuance-away')
  async blocks(
    @Query('cursor', new CursorPipe(LIST)) from: number | null,
    @Query('limit', new WholeNumberPipe('limit', { min: 1, max: 100, otherwise: 20 })) limit: number,
  ): Promise<BlocksPage> {
    const { items, next } = await this.issuance.blocks(from ?? 0, limit);
    return { items: [...items], next: cursorOf(LIST, next) };
  }

  @Get(':id')
  @ApiOperation({ summary: 'One block: its commitment and its opening', security: [] })
  @ApiOkResponse({ type: PublicBlock })
  @AnswersProblems('block-unknown', 'issuance-away')
  async block(@Param('id', new UuidPipe('block-unknown')) id: string): Promise<PublicBlock> {
    const block = await this.issuance.block(id);
    if (block === null) throw new Problem(404, 'block-unknown', 'No block with this id has been committed.');
    const { commitment, opening, status, sold } = block;
    return { commitment, opening, status, sold };
  }
}
