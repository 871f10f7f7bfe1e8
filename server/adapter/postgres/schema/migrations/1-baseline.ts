import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createHomeTables, dropHomeTables } from '../tables/create-home-tables.ts';
import { createOpsTables, dropOpsTables } from '../tables/create-ops-tables.ts';
import { createTimerTables, dropTimerTables } from '../tables/create-timer-tables.ts';
import { schemaOf } from '../tables/schema-of.ts';

/** The digits are what TypeORM sorts by; the name is what it remembers. Neither ever changes. */
export class Baseline1795564800001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const schema = schemaOf(runner.dataSource);
    for (const create of [createHomeTables, createTimerTables, createOpsTables]) await runner.query(create(schema));
  }

  async down(runner: QueryRunner): Promise<void> {
    const schema = schemaOf(runner.dataSource);
    for (const drop of [dropOpsTables, dropTimerTables, dropHomeTables]) await runner.query(drop(schema));
  }
}
