import type { MigrationInterface, QueryRunner } from 'typeorm';
import { schemaOf } from '../tables/schema-of.ts';

/**
 * What becomes of old rows: events fold into checkpoints, finished feedings are found by when they ended (ADR 31).
 * A home keeps the `tx` of its last event: looking that up in the log cost more (ADR 30).
 */
export class Retention1795219200005 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const schema = `"${schemaOf(runner.dataSource)}"`;
    await runner.query(`alter table ${schema}.home add column tx bigint not null default 0`);
    await runner.query(`alter table ${schema}.home alter column tx drop default`);
    await runner.query(`create table ${schema}.checkpoint (
      player_id text primary key,
      seq bigint not null check (seq > 0),
      home jsonb not null
    )`);
    await runner.query(`create index feeding_ended_at on ${schema}.feeding (ended_at) where state <> 'running'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    const schema = `"${schemaOf(runner.dataSource)}"`;
    await runner.query(`drop index ${schema}.feeding_ended_at`);
    await runner.query(`drop table ${schema}.checkpoint`);
    await runner.query(`alter table ${schema}.home drop column tx`);
  }
}
