import type { MigrationInterface, QueryRunner } from 'typeorm';
import { schemaOf } from '../tables/schema-of.ts';
import { dropTimerCommandTable, timerCommandTable } from '../tables/timer-command-table.ts';

export class TimerCommands1795219200014 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(timerCommandTable(schemaOf(runner.dataSource)));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(dropTimerCommandTable(schemaOf(runner.dataSource)));
  }
}
