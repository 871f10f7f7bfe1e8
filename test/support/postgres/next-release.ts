import type { MigrationInterface, QueryRunner } from 'typeorm';
import { migrations, schemaOf } from '../../../server/adapter/postgres/schema/migrations.ts';

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
