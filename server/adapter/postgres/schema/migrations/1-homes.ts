import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createHomeTables, dropHomeTables } from '../tables/home-tables.ts';
import { schemaOf } from '../tables/schema-of.ts';

/** The digits are what TypeORM sorts by; the name is what it remembers. Neither ever changes. */
export class Homes1795219200001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const schema = `"${schemaOf(runner.dataSource)}"`;
    for (const statement of createHomeTables(schema)) await runner.query(statement);
    await runner.query(`insert into ${schema}.epoch (epoch) values (gen_random_uuid()::text)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of dropHomeTables(`"${schemaOf(runner.dataSource)}"`)) await runner.query(statement);
  }
}
