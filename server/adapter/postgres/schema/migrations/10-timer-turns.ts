import type { MigrationInterface, QueryRunner } from 'typeorm';
import { schemaOf } from '../tables/schema-of.ts';
import { dropTimerTurns, timerTurns } from '../tables/timer-table.ts';

export class TimerTurns1795219200010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(timerTurns(schemaOf(runner.dataSource)));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(dropTimerTurns(schemaOf(runner.dataSource)));
  }
}
