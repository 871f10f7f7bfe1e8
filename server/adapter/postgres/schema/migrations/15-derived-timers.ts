import type { MigrationInterface, QueryRunner } from 'typeorm';
import { timersByRun, timersByThing } from '../tables/derived-timers.ts';
import { schemaOf } from '../tables/schema-of.ts';

/** The timer of a thing has the thing's name, and is not kept when it is over. */
export class DerivedTimers1795219200015 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(timersByThing(schemaOf(runner.dataSource)));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(timersByRun(schemaOf(runner.dataSource)));
  }
}
