import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createOpsTables, dropOpsTables } from '../tables/ops-tables.ts';
import { schemaOf } from '../tables/schema-of.ts';

/** What operators do, and what finds it: the audit, jobs, frozen and erased players, indexes for their questions. */
export class Operations1795219200007 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of createOpsTables(`"${schemaOf(runner.dataSource)}"`)) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of dropOpsTables(`"${schemaOf(runner.dataSource)}"`)) await runner.query(statement);
  }
}
