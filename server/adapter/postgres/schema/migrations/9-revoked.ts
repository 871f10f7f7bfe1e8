import type { MigrationInterface, QueryRunner } from 'typeorm';
import { revokedTable } from '../tables/revoked-table.ts';
import { schemaOf } from '../tables/schema-of.ts';

export class Revoked1795219200009 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of revokedTable(schemaOf(runner.dataSource))) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table "${schemaOf(runner.dataSource)}".revoked`);
  }
}
