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

/** How far a job is, in its own row. `schema` is a checked identifier. */
const addJobCounts = (schema: string): string => `
alter table "${schema}".job
  add column total     integer not null default 0,
  add column done      integer not null default 0,
  add column refusals  jsonb   not null default '{}';
update "${schema}".job j set total = c.total, done = c.done, refusals = c.refusals
  from (
    select job_id, sum(count) as total, coalesce(sum(count) filter (where state = 'done'), 0) as done,
      coalesce(jsonb_object_agg(code, count) filter (where state = 'refused'), '{}') as refusals
    from (select job_id, state, code, count(*) as count from "${schema}".job_target group by job_id, state, code) t
    group by job_id) c
  where c.job_id = j.job_id;
`;

const dropJobCounts = (schema: string): string =>
  `alter table "${schema}".job drop column refusals, drop column done, drop column total;`;

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
