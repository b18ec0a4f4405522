import type { LoadedRegulations } from '#service';

/** Ids of the regulations on record; a stake needs the game's and the general one accepted (REG-5.1). */
export class KnownRegulations {
  constructor(
    /** The general regulation in force. */
    readonly general: string,
    readonly ids: ReadonlySet<string>,
  ) {}

  static of({ general, all }: LoadedRegulations): KnownRegulations {
    return new KnownRegulations(general.id, new Set(all.map(({ id }) => id)));
  }
}
