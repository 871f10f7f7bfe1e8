import type { MigrationInterface, QueryRunner } from 'typeorm';
import { schemaOf } from '../tables/schema-of.ts';
import { dropTimerRecurrence, timerRecurrence } from '../tables/timer-table.ts';

export class TimerRecurrence1795219200013 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(timerRecurrence(schemaOf(runner.dataSource)));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(dropTimerRecurrence(schemaOf(runner.dataSource)));
  }
}
