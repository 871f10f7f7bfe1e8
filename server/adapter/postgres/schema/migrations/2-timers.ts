import type { MigrationInterface, QueryRunner } from 'typeorm';
import { schemaOf } from '../tables/schema-of.ts';
import { dropTimerTable, timerTable } from '../tables/timer-table.ts';

export class Timers1795219200002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(timerTable(schemaOf(runner.dataSource)));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(dropTimerTable(schemaOf(runner.dataSource)));
  }
}
