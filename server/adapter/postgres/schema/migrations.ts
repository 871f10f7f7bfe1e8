import type { DataSource, MigrationInterface, QueryRunner } from 'typeorm';
import { addChance, dropChance } from './add-chance.ts';
import { addJobCounts, dropJobCounts } from './add-job-counts.ts';
import { createHomeTables, dropHomeTables } from './create-home-tables.ts';
import { createOpsTables, dropOpsTables } from './create-ops-tables.ts';
import { createRulesTable, dropRulesTable } from './create-rules-table.ts';
import { createTimerTables, dropTimerTables } from './create-timer-tables.ts';

/** The schema that a data source works in; `createDataSource` has set it. */
export const schemaOf = ({ options }: DataSource): string => {
  if (options.type !== 'postgres' || options.schema === undefined) throw new Error('a data source without a schema');
  return options.schema;
};

interface Step {
  readonly up: (schema: string) => string;
  readonly down: (schema: string) => string;
}

/** The name of a migration begins with it if older versions cannot run beside it: they then accept no command. */
export const ALONE = 'Alone';

/** TypeORM sorts by the digits and remembers the name, so neither may ever change. Goes back in the opposite order. */
const migrationOf = (name: string, ...steps: readonly Step[]) =>
  class implements MigrationInterface {
    static readonly name = name;

    async up(runner: QueryRunner): Promise<void> {
      for (const { up } of steps) await runner.query(up(schemaOf(runner.dataSource)));
    }

    async down(runner: QueryRunner): Promise<void> {
      for (const { down } of steps.toReversed()) await runner.query(down(schemaOf(runner.dataSource)));
    }
  };

/** In order. A later one alters the tables of an earlier one; none ever changes. */
export const migrations: readonly (new () => MigrationInterface)[] = [
  migrationOf(
    'Baseline1795564800001',
    { up: createHomeTables, down: dropHomeTables },
    { up: createTimerTables, down: dropTimerTables },
    { up: createOpsTables, down: dropOpsTables },
  ),
  migrationOf('Rules1795651200002', { up: createRulesTable, down: dropRulesTable }),
  migrationOf('Chance1795737600003', { up: addChance, down: dropChance }),
  migrationOf('JobCounts1795824000004', { up: addJobCounts, down: dropJobCounts }),
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
