import type { MigrationInterface, QueryRunner } from 'typeorm';
import { petTables } from '../tables/home-tables.ts';
import { schemaOf } from '../tables/schema-of.ts';
import { createThingTable, movePets, movePetsBack } from '../tables/thing-table.ts';

/** One table for what all modules keep; pets and their feedings move into it. */
export class Things1795219200011 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const schema = `"${schemaOf(runner.dataSource)}"`;
    for (const statement of [...createThingTable(schema), ...movePets(schema)]) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    const schema = `"${schemaOf(runner.dataSource)}"`;
    const statements = [...petTables(schema), ...movePetsBack(schema)];
    for (const statement of statements) await runner.query(statement);
  }
}
