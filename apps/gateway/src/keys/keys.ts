import { Controller, Get, Header, Logger } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { KeySetView } from '#contracts/http';
import { loadJwks } from '#service';
import { AnswersProblems } from '../api-problems.ts';

/** A key that was just added is served this long after it. */
const FRESH_MS = 10_000;

/** The file of public keys, to which keys are added while this runs; what it held last is served while it cannot be read. */
export class PublicKeys {
  readonly #logger = new Logger('keys');
  #keys: KeySetView;
  #readAt: number;

  /** @throws ConfigError when the file cannot be used */
  constructor(
    private readonly file: string,
    private readonly now: () => number,
  ) {
    this.#keys = read(file);
    this.#readAt = now();
  }

  current(): KeySetView {
    if (this.now() - this.#readAt <= FRESH_MS) return this.#keys;
    this.#readAt = this.now();
    try {
      this.#keys = read(this.file);
    } catch (error) {
      this.#logger.error({ err: error }, 'the file of public keys cannot be read; serving what it held before');
    }
    return this.#keys;
  }
}

function read(file: string): KeySetView {
  return { keys: loadJwks(file).keys.map((key) => ({ ...key })) };
}

@ApiTags('blocks')
@Controller('.well-known')
export class KeysController {
  constructor(private readonly keys: PublicKeys) {}

  @Get('enjeu-keys.json')
  @Header('cache-control', 'public, max-age=60')
  @ApiOperation({ summary: 'The public keys of everything that is signed', security: [] })
  @ApiOkResponse({ type: KeySetView })
  @AnswersProblems('bad-request')
  keySet(): KeySetView {
    return this.keys.current();
  }
}
