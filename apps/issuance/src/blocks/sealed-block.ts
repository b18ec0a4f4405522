import { createCipheriv, createDecipheriv } from 'node:crypto';
import { Column, type DataSource, Entity, In, IsNull, PrimaryColumn } from 'typeorm';
import { concat, idBytes, type PreparedBlock, STRETCH, utf8 } from '#fairness';

/** A block's secret and deck, encrypted, and what a proof needs of its tree. One row a block, for ever. */
@Entity('sealed_blocks')
export class SealedBlock {
  @PrimaryColumn('uuid', { name: 'block_id' })
  blockId!: string;

  @Column('uuid', { name: 'emission_id' })
  emissionId!: string;

  @Column('text')
  regulation!: string;

  @Column('integer', { name: 'stake_cents' })
  stakeCents!: number;

  @Column('bigint', { transformer: { to: String, from: Number } })
  size!: number;

  @Column('text')
  root!: string;

  @Column('text', { name: 'table_digest' })
  tableDigest!: string;

  /** Nodes of the stored level of the tree, 32 bytes each. */
  @Column('bytea', { name: 'coarse_level' })
  coarseLevel!: Buffer;

  @Column('bytea', { name: 'sealed_secret' })
  sealedSecret!: Buffer;

  /** Stretches of 1,024 units, each sealed by itself, so that a proof reads one. Null until it is derived again. */
  @Column('bytea', { name: 'sealed_deck', nullable: true })
  sealedDeck!: Buffer | null;

  /** Its entry in the list of commitments; null until it is known to be committed. */
  @Column('integer', { nullable: true })
  entry!: number | null;

  @Column('timestamptz', { name: 'sealed_at' })
  sealedAt!: Date;
}

/** One row that only the right key-encryption key can read. */
@Entity('sealing_check')
export class SealingCheck {
  @PrimaryColumn('smallint')
  id!: number;

  @Column('bytea')
  sealed!: Buffer;
}

/** The key-encryption key is not the one that sealed what this database holds. */
export class WrongKeyEncryptionKey extends Error {
  constructor() {
    super('the key-encryption key is not the one that sealed the blocks of this database');
    this.name = 'WrongKeyEncryptionKey';
  }
}

export interface BlockToSeal {
  readonly blockId: string;
  readonly emissionId: string;
  readonly regulation: string;
  readonly stakeCents: number;
  readonly secret: Uint8Array;
  readonly prepared: PreparedBlock;
  readonly sealedAt: string;
}

export interface OpenedSeal {
  readonly blockId: string;
  readonly secret: Uint8Array;
  readonly deck: Uint8Array;
}

/** A block whose deck has to be derived again from its secret. */
export interface SealWithoutDeck {
  readonly blockId: string;
  readonly regulation: string;
  readonly stakeCents: number;
  readonly secret: Uint8Array;
}

/** As much of a sealed block as the proof of one unit needs. */
export interface OpenedStretch {
  readonly secret: Uint8Array;
  /** One byte a unit, of the unit's stretch alone. */
  readonly deck: Uint8Array;
  readonly coarseLevel: Uint8Array;
}

/** What keeps sealed blocks. */
export type SealedStore = Pick<
  SealedBlocks,
  'check' | 'store' | 'open' | 'withoutEntry' | 'setEntry' | 'discard' | 'withoutDeck' | 'sealDeck'
>;

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const SEALED_STRETCH_BYTES = NONCE_BYTES + STRETCH + TAG_BYTES;

/** One row by its key; of the deck, which is stored uncompressed, only the pages of the stretch are read. */
const STRETCH_OF_BLOCK = `
  select sealed_secret as "sealedSecret",
         coarse_level as "coarseLevel",
         substring(sealed_deck from $2 for $3) as stretch
    from sealed_blocks
   where block_id = $1`;

const CHECK_TEXT = utf8('enjeu-sealing-check/1');
const NO_BLOCK = '00000000-0000-0000-0000-000000000000';

/** The only place where a block's secret and deck are encrypted and decrypted. */
export class SealedBlocks {
  /** @param key 32 bytes @param random as many random bytes as asked for */
  constructor(
    private readonly opened: { readonly dataSource: DataSource },
    private readonly key: Uint8Array,
    private readonly random: (bytes: number) => Uint8Array,
  ) {}

  /** Rejects with WrongKeyEncryptionKey when other keys sealed this database; the first key that comes is its key. */
  async check(): Promise<void> {
    const checks = this.opened.dataSource.getRepository(SealingCheck);
    const sealed = this.#seal(NO_BLOCK, 'check', CHECK_TEXT);
    await checks.createQueryBuilder().insert().values({ id: 1, sealed }).orIgnore().execute();
    const stored = await checks.findOneByOrFail({ id: 1 });
    this.#unseal(NO_BLOCK, 'check', stored.sealed);
  }

  async store(block: BlockToSeal): Promise<void> {
    const { blockId, emissionId, regulation, stakeCents, secret, prepared, sealedAt } = block;
    await this.opened.dataSource.getRepository(SealedBlock).insert({
      blockId,
      emissionId,
      regulation,
      stakeCents,
      size: prepared.size,
      root: prepared.root,
      tableDigest: prepared.tableDigest,
      coarseLevel: Buffer.from(prepared.coarseLevel),
      sealedSecret: this.#seal(blockId, 'secret', secret),
      sealedDeck: this.#sealedDeck(blockId, prepared.deck),
      entry: null,
      sealedAt: new Date(sealedAt),
    });
  }

  /** Secrets and decks of these blocks, in no order. Rejects with WrongKeyEncryptionKey for what this key did not seal. */
  async open(blockIds: readonly string[]): Promise<OpenedSeal[]> {
    const rows = await this.opened.dataSource.getRepository(SealedBlock).find({
      select: { blockId: true, sealedSecret: true, sealedDeck: true },
      where: { blockId: In([...blockIds]) },
    });
    return rows.map(({ blockId, sealedSecret, sealedDeck }) => ({
      blockId,
      secret: this.#unseal(blockId, 'secret', sealedSecret),
      deck: this.#unsealedDeck(blockId, sealedDeck ?? new Uint8Array()),
    }));
  }

  /** What a proof of this unit needs; null for a block that is not here. Rejects with WrongKeyEncryptionKey as `open` does. */
  async openStretch(blockId: string, unitIndex: number): Promise<OpenedStretch | null> {
    const stretch = Math.floor(unitIndex / STRETCH);
    const [row] = await this.opened.dataSource.query<
      { sealedSecret: Buffer; coarseLevel: Buffer; stretch: Buffer | null }[]
    >(STRETCH_OF_BLOCK, [blockId, stretch * SEALED_STRETCH_BYTES + 1, SEALED_STRETCH_BYTES]);
    if (row === undefined || row.stretch === null) return null;
    return {
      secret: this.#unseal(blockId, 'secret', row.sealedSecret),
      deck: this.#unseal(blockId, stretchName(stretch), row.stretch),
      coarseLevel: row.coarseLevel,
    };
  }

  /** Blocks whose deck was sealed in an earlier way and is to be derived again. At most `limit`. */
  async withoutDeck(limit: number): Promise<SealWithoutDeck[]> {
    const rows = await this.opened.dataSource.getRepository(SealedBlock).find({
      select: { blockId: true, regulation: true, stakeCents: true, sealedSecret: true },
      where: { sealedDeck: IsNull() },
      order: { blockId: 'ASC' },
      take: limit,
    });
    return rows.map(({ blockId, regulation, stakeCents, sealedSecret }) => ({
      blockId,
      regulation,
      stakeCents,
      secret: this.#unseal(blockId, 'secret', sealedSecret),
    }));
  }

  async sealDeck(blockId: string, deck: Uint8Array): Promise<void> {
    const sealedDeck = this.#sealedDeck(blockId, deck);
    await this.opened.dataSource.getRepository(SealedBlock).update({ blockId }, { sealedDeck });
  }

  /** Blocks of which it is not known that they were committed: what a crash between the two leaves. At most `limit`. */
  async withoutEntry(limit: number): Promise<string[]> {
    const rows = await this.opened.dataSource
      .getRepository(SealedBlock)
      .find({ select: { blockId: true }, where: { entry: IsNull() }, order: { blockId: 'ASC' }, take: limit });
    return rows.map((row) => row.blockId);
  }

  async setEntry(blockId: string, entry: number): Promise<void> {
    await this.opened.dataSource.getRepository(SealedBlock).update({ blockId }, { entry });
  }

  /** Forgets a block that was never committed; one that has an entry stays. */
  async discard(blockId: string): Promise<void> {
    await this.opened.dataSource.getRepository(SealedBlock).delete({ blockId, entry: IsNull() });
  }

  #sealedDeck(blockId: string, deck: Uint8Array): Buffer {
    const stretches = Array.from({ length: Math.ceil(deck.length / STRETCH) }, (_, stretch) =>
      this.#seal(blockId, stretchName(stretch), deck.subarray(stretch * STRETCH, (stretch + 1) * STRETCH)),
    );
    return Buffer.concat(stretches);
  }

  #unsealedDeck(blockId: string, sealed: Uint8Array): Uint8Array {
    const stretches = Array.from({ length: Math.ceil(sealed.length / SEALED_STRETCH_BYTES) }, (_, stretch) => {
      const from = stretch * SEALED_STRETCH_BYTES;
      return this.#unseal(blockId, stretchName(stretch), sealed.subarray(from, from + SEALED_STRETCH_BYTES));
    });
    const deck = concat(...stretches);
    for (const stretch of stretches) stretch.fill(0);
    return deck;
  }

  #seal(blockId: string, what: string, plain: Uint8Array): Buffer {
    const nonce = this.random(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(concat(idBytes(blockId), utf8(what)));
    return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  }

  #unseal(blockId: string, what: string, sealed: Uint8Array): Uint8Array {
    const tagAt = sealed.length - TAG_BYTES;
    const decipher = createDecipheriv('aes-256-gcm', this.key, sealed.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(concat(idBytes(blockId), utf8(what)));
    decipher.setAuthTag(sealed.subarray(tagAt));
    const plain = decipher.update(sealed.subarray(NONCE_BYTES, tagAt));
    try {
      decipher.final();
    } catch {
      plain.fill(0);
      throw new WrongKeyEncryptionKey();
    }
    return plain;
  }
}

/** What is sealed is bound to its place: a stretch cannot be taken for another one. */
function stretchName(stretch: number): string {
  return `deck ${stretch}`;
}
