import type { DataSource, MigrationInterface, QueryRunner } from 'typeorm';
import { addChance, dropChance } from './add-chance.ts';
import { createHomeTables, dropHomeTables } from './create-home-tables.ts';
import { createOpsTables, dropOpsTables } from './create-ops-tables.ts';
import { createRulesTable, dropRulesTable } from './create-rules-table.ts';
import { createTimerTables, dropTimerTables } from './create-timer-tables.ts';

/** The schema that a data source works in; `createDataSource` has set it. */
export const schemaOf = ({ options }: DataSource): string => {
  if (options.type !== 'postgres' || options.schema === undefined) throw new Error('a data source without a schema');
  return options.schema;
};

/** TypeORM sorts by the digits and remembers the name, so neither may ever change. */
class Baseline1795564800001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const schema = schemaOf(runner.dataSource);
    for (const create of [createHomeTables, createTimerTables, createOpsTables]) await runner.query(create(schema));
  }

  async down(runner: QueryRunner): Promise<void> {
    const schema = schemaOf(runner.dataSource);
    for (const drop of [dropOpsTables, dropTimerTables, dropHomeTables]) await runner.query(drop(schema));
  }
}

/** Versions of the modules' configs. */
class Rules1795651200002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(createRulesTable(schemaOf(runner.dataSource)));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(dropRulesTable(schemaOf(runner.dataSource)));
  }
}

/** The secret of the draws, and the counters of players. */
class Chance1795737600003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(addChance(schemaOf(runner.dataSource)));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(dropChance(schemaOf(runner.dataSource)));
  }
}

/** In order. A later one alters the tables of an earlier one; none ever changes. */
export const migrations: readonly (new () => MigrationInterface)[] = [
  Baseline1795564800001,
  Rules1795651200002,
  Chance1795737600003,
];

/** All tables that the migrations make. */
export const tables = [
  'epoch',
  'home',
  'thing',
  'home_hold',
  'event',
  'timer',
  'timer_due',
  'timer_command',
  'timer_index',
  'timer_kind',
  'timer_pause',
  'consumer',
  'checkpoint',
  'clock',
  'audit',
  'erased',
  'revoked',
  'job',
  'job_target',
  'rules',
] as const;
