import type { MigrationInterface, QueryRunner } from 'typeorm';
import { schemaOf } from '../tables/schema-of.ts';
import { timerIndexCare } from '../tables/timer-index-table.ts';

export class IndexCare1795219200006 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(timerIndexCare(schemaOf(runner.dataSource)));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `alter table "${schemaOf(runner.dataSource)}".timer_index drop wanted_shards, drop pulse, drop past`,
    );
  }
}
