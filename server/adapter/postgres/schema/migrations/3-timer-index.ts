import type { MigrationInterface, QueryRunner } from 'typeorm';
import { schemaOf } from '../tables/schema-of.ts';
import { timerIndexTable } from '../tables/timer-index-table.ts';

export class TimerIndex1795219200003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(timerIndexTable(schemaOf(runner.dataSource)));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table "${schemaOf(runner.dataSource)}".timer_index`);
  }
}
