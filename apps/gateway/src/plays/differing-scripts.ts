import { Logger } from '@nestjs/common';
import type { RaiseIncidentRequest } from '#contracts';
import { counter, oneLine } from '#service';
import { Away } from '../peers/away.ts';

export interface DifferingScriptsOptions {
  /** Tells issuance, which raises it once. Rejects with Away while it does not answer. */
  readonly tell: (incident: RaiseIncidentRequest) => Promise<unknown>;
  /** How many plays are remembered as told of. Default 10,000. */
  readonly remembered?: number;
  /** How many wait to be told of. Default 200. */
  readonly waiting?: number;
}

const logger = new Logger('gateway');

/**
 * Plays that are shown without the script that was issued with them. Issuance is told of each once, one after the other
 * and behind the answers; what it could not be told is told at the play's next showing.
 */
export class DifferingScripts {
  readonly #tell: DifferingScriptsOptions['tell'];
  readonly #remembered: number;
  readonly #mostWaiting: number;
  /** The oldest is the first. */
  readonly #told = new Set<string>();
  readonly #waiting = new Map<string, string>();
  #telling = false;

  constructor({ tell, remembered = 10_000, waiting = 200 }: DifferingScriptsOptions) {
    this.#tell = tell;
    this.#remembered = remembered;
    this.#mostWaiting = waiting;
  }

  /** Takes note of one showing. Never throws, and waits for nothing. @param detail one line, without the seed */
  readonly shown = (playId: string, detail: string): void => {
    counter('enjeu_gateway_scripts_withheld_total', 'Plays shown without the script that was issued.').inc();
    if (this.#told.has(playId) || this.#waiting.has(playId) || this.#waiting.size >= this.#mostWaiting) return;
    logger.error(`script-differs (${playId}): ${detail}`);
    this.#waiting.set(playId, detail);
    void this.#tellAll();
  };

  async #tellAll(): Promise<void> {
    if (this.#telling) return;
    this.#telling = true;
    for (const [subject, detail] of this.#waiting) {
      if (await this.#isTold(subject, detail)) this.#remember(subject);
      this.#waiting.delete(subject);
    }
    this.#telling = false;
  }

  async #isTold(subject: string, detail: string): Promise<boolean> {
    try {
      await this.#tell({ kind: 'script-differs', subject, detail });
      return true;
    } catch (error) {
      logger.warn(`issuance was not told of the script of ${subject} (${oneLine(error)})`);
      // The others would wait for nothing.
      if (error instanceof Away) this.#waiting.clear();
      return false;
    }
  }

  #remember(playId: string): void {
    this.#told.add(playId);
    if (this.#told.size <= this.#remembered) return;
    for (const oldest of this.#told) {
      this.#told.delete(oldest);
      return;
    }
  }
}
