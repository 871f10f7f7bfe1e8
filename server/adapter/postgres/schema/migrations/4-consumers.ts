import type { MigrationInterface, QueryRunner } from 'typeorm';
import { schemaOf } from '../tables/schema-of.ts';

/**
 * The order in which consumers read the log, and how far each has read (ADR 30). Events that were there before have
 * `tx` 0: they come first, player by player.
 */
export class Consumers1795219200004 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const schema = `"${schemaOf(runner.dataSource)}"`;
    await runner.query(`alter table ${schema}.event add column tx bigint not null default 0`);
    await runner.query(`alter table ${schema}.event alter column tx drop default`);
    await runner.query(`create index event_order on ${schema}.event (tx, player_id, seq)`);
    await runner.query(`create table ${schema}.consumer (
      name text primary key,
      tx bigint not null,
      player_id text not null,
      seq bigint not null
    ) with (fillfactor = 50)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    const schema = `"${schemaOf(runner.dataSource)}"`;
    await runner.query(`drop table ${schema}.consumer`);
    await runner.query(`drop index ${schema}.event_order`);
    await runner.query(`alter table ${schema}.event drop column tx`);
  }
}
