import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateHolders1704067201000 implements MigrationInterface {
  name = 'CreateHolders1704067201000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table holders (
        issuer text not null,
        subject text not null,
        player_id uuid not null unique,
        primary key (issuer, subject)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table holders');
  }
}
