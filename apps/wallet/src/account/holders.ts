import { randomUUID } from 'node:crypto';
import { Column, type DataSource, Entity, PrimaryColumn } from 'typeorm';

/**
 * Who an account belongs to. The log knows players by a random id alone; this row is what ties it to a person's identity
 * at an OpenID provider, and erasing the row unties it.
 */
@Entity('holders')
export class Holder {
  @PrimaryColumn('text')
  issuer!: string;

  @PrimaryColumn('text')
  subject!: string;

  @Column('uuid', { name: 'player_id', unique: true })
  playerId!: string;
}

export interface Identity {
  readonly issuer: string;
  readonly subject: string;
}

/** Waits for a concurrent insert of the same holder, and then inserts nothing. */
const INSERT_HOLDER = `
  insert into holders (issuer, subject, player_id)
  values ($1, $2, $3)
  on conflict (issuer, subject) do nothing`;

export class Holders {
  constructor(
    private readonly wallet: { readonly dataSource: DataSource },
    private readonly newPlayerId: () => string = randomUUID,
  ) {}

  /** The player id of this holder, null where there is none. */
  async find({ issuer, subject }: Identity): Promise<string | null> {
    const holder = await this.wallet.dataSource.getRepository(Holder).findOneBy({ issuer, subject });
    return holder?.playerId ?? null;
  }

  /** The player id of this holder, made at random where there is none yet: the same for all who ask at once. */
  async findOrCreate(identity: Identity): Promise<string> {
    const known = await this.find(identity);
    if (known !== null) return known;
    await this.wallet.dataSource.query(INSERT_HOLDER, [identity.issuer, identity.subject, this.newPlayerId()]);
    const stored = await this.find(identity);
    if (stored === null) throw new Error('a holder was erased while its account was being opened');
    return stored;
  }
}
