import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startServer } from '../../../examples/support/server-process.ts';
import { startEmbedded } from '../../../server/adapter/embedded-postgres/embedded.ts';
import { createPool } from '../../../server/adapter/postgres/pool.ts';
import { silentLog } from '../../../test/support/log/logs.ts';
import type { Row, Sample } from '../../harness/row.ts';
import { seedPending } from '../../timers/due-times.ts';

const EMPTY = 'no timers';
const FULL = '100,000 timers';
const FIRST = 'a folder of its own, made at this start';
const main = path.join(import.meta.dirname, '../../../server/reference/main.ts');

/** How long people wait for the server: process, embedded Postgres, migrations, index, rooms. */
export const start: Row = {
  name: 'start',
  about:
    'From the start of the server process until it says that it is ready, all in one process with the embedded Postgres: with the folder of a former life, and with a new one.',
  rounds: 3,
  figures: [{ name: 'ready', unit: 's' }],
  targets: [
    { of: EMPTY, figure: 'ready', atMost: 3 },
    { of: FULL, figure: 'ready', atMost: 6 },
  ],
  prepare: async () => {
    if (!existsSync(main)) return undefined;
    const root = mkdtempSync(path.join(os.tmpdir(), 'kibble-bench-'));
    const [empty, full] = [path.join(root, 'empty'), path.join(root, 'full')];
    for (const dataDir of [empty, full]) await timeToReady(dataDir);
    await fill(full);
    let starts = 0;
    return {
      contenders: [
        { name: EMPTY, measure: () => timeToReady(empty) },
        { name: FULL, measure: () => timeToReady(full) },
        { name: FIRST, measure: () => timeToReady(path.join(root, `new-${starts++}`)) },
      ],
      dispose: async () => rmSync(root, { recursive: true, force: true }),
    };
  },
};

const timeToReady = async (dataDir: string): Promise<Sample> => {
  const startedAtMs = performance.now();
  const server = await startServer({ DATA_DIR: dataDir, PORT: '0', HOST: '127.0.0.1' });
  const ready = (performance.now() - startedAtMs) / 1000;
  await server.stop();
  return { ready };
};

const fill = async (dataDir: string): Promise<void> => {
  const postgres = await startEmbedded({ dataDir });
  const pool = createPool({ url: postgres.url, max: 1, log: silentLog });
  await seedPending(pool, 100_000);
  await pool.end();
  await postgres.stop();
};
