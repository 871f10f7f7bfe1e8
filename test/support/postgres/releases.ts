import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { migrate } from '../../../server/adapter/postgres/schema/migrate.ts';
import { migrations, schemaOf } from '../../../server/adapter/postgres/schema/migrations.ts';
import type { OrmDatabase } from './orm-database.ts';

type Kept = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;

const file = path.join(import.meta.dirname, '../../adapter/postgres/schema/kept/homes-baseline.json');
/** The migration that made the tables of the kept rows. */
const MADE_BY = 'Baseline1795564800001';
/** Numbers of the kept rows in between are instants. */
const INSTANTS = { from: 1_790_000_000_000, until: 1_800_000_000_000 };

/** Eight players with pets that all eat, in the tables of the baseline; of three the beginning of the log is a checkpoint. */
export const keptHomes = (): Kept => JSON.parse(readFileSync(file, 'utf8'));

/** The same homes at another time: every instant so much later. */
export const laterBy = (kept: Kept, ms: number): Kept =>
  JSON.parse(JSON.stringify(kept), (_key, value: unknown) =>
    typeof value === 'number' && value > INSTANTS.from && value < INSTANTS.until ? value + ms : value,
  );

/** When their feedings end, earliest first. */
export const dueTimesOf = (kept: Kept): readonly number[] =>
  (kept.thing ?? []).map(({ due_at }) => Number(due_at)).sort((one, other) => one - other);

/** The ids of those feedings. */
export const feedingsOf = (kept: Kept): readonly string[] =>
  (kept.thing ?? []).map(({ state }) => (state as { feeding: { feedingId: string } }).feeding.feedingId);

/** Gives an empty database the tables of the baseline with these rows. */
export const makeOldRelease = async ({ dataSource, pool }: Pick<OrmDatabase, 'dataSource' | 'pool'>, kept: Kept) => {
  const names = [...(await migrate(dataSource))];
  while (names.pop() !== MADE_BY) await dataSource.undoLastMigration();
  for (const [table, rows] of Object.entries(kept)) {
    await pool.query(
      `insert into kibble.${table} overriding system value
       select * from jsonb_populate_recordset(null::kibble.${table}, $1::jsonb)`,
      [JSON.stringify(rows)],
    );
  }
};

/** The migration of a future release: new columns, each row rewritten, a new index. Later than every present migration. */
class MadeUp9000000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const schema = schemaOf(runner.dataSource);
    await runner.query(
      `alter table "${schema}".home add column things bigint;
       update "${schema}".home h set things = (select count(*) from "${schema}".thing t where t.player_id = h.player_id);
       alter table "${schema}".thing add column made_up_at bigint;
       update "${schema}".thing set made_up_at = due_at;
       create index thing_made_up on "${schema}".thing (made_up_at)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    const schema = schemaOf(runner.dataSource);
    await runner.query(
      `alter table "${schema}".thing drop column made_up_at;
       alter table "${schema}".home drop column things`,
    );
  }
}

/** Makes this process one of the next release: it has a migration more. */
export const becomeNextRelease = (): void => {
  (migrations as (new () => MigrationInterface)[]).push(MadeUp9000000000000);
};
