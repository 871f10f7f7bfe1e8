import type { MigrationInterface, QueryRunner } from 'typeorm';
import { clockTable } from '../tables/clock-table.ts';
import { schemaOf } from '../tables/schema-of.ts';

export class Clock1795219200008 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(clockTable(schemaOf(runner.dataSource)));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table "${schemaOf(runner.dataSource)}".clock`);
  }
}
