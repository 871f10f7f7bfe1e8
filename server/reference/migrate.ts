// Brings the schema up to date and ends: for deployments that migrate once, before several servers start.

import { createPool } from '../adapter/postgres/pool.ts';
import { migrateOn } from '../adapter/postgres/schema/migrate.ts';
import { readConfig } from '../settings/config.ts';
import { createLog, surviveLostOutput } from '../telemetry/log.ts';
import { explainStart, StartRefused } from '../wiring/explain-start.ts';

const run = async (): Promise<void> => {
  const { databaseUrl, schema, logLevel } = readConfig();
  if (databaseUrl === undefined)
    throw new StartRefused('DATABASE_URL must be set: an embedded Postgres migrates itself');
  const log = createLog({ level: logLevel });
  const pool = createPool({ url: databaseUrl, max: 2, log });
  try {
    const done = await migrateOn({ pool, schema, log });
    log.info({ migrations: done }, done.length > 0 ? 'migrated' : 'nothing to migrate');
  } finally {
    await pool.end();
  }
};

surviveLostOutput();
run().catch((error: unknown) => {
  process.stderr.write(`${explainStart(error)}\n`);
  process.exit(1);
});
