import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A play is debited once and gets one outcome, whatever the positions of the sources say. */
export class IndexPlays1704067202000 implements MigrationInterface {
  name = 'IndexPlays1704067202000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create unique index events_debit_of_play
          on events (correlation)
       where type = 'StakeDebited'`);
    await runner.query(`
      create unique index events_outcome_of_play
          on events (correlation)
       where type in ('PrizeCredited', 'StakeRefunded')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index events_outcome_of_play');
    await runner.query('drop index events_debit_of_play');
  }
}
