import type { MigrationInterface, QueryRunner } from 'typeorm';
import { schemaOf } from '../tables/schema-of.ts';
import { dropTimerDueTable, timerDueTable } from '../tables/timer-due-table.ts';

/** What moves of a scheduled timer has a row of its own. */
export class TimerDue1795219200012 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(timerDueTable(schemaOf(runner.dataSource)));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(dropTimerDueTable(schemaOf(runner.dataSource)));
  }
}
