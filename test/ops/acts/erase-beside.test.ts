import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { Database } from '../../../server/adapter/postgres/database.ts';
import { PostgresRetainedStore } from '../../../server/adapter/postgres/home/retained-store.ts';
import { PostgresAuditStore } from '../../../server/adapter/postgres/ops/audit-store.ts';
import { PostgresEraseStore } from '../../../server/adapter/postgres/ops/erase-store.ts';
import { PostgresJobStore } from '../../../server/adapter/postgres/ops/job-store.ts';
import type { HomeService } from '../../../server/home/home-service.ts';
import { erase } from '../../../server/ops/acts/merge-erase.ts';
import { LATEST_MS } from '../../../shared/latest-ms.ts';
import { petsModules } from '../../../testing/pets-engine.ts';
import { silentLog } from '../../support/log/silent-log.ts';
import { type HomeDatabase, homeDatabase } from '../../support/postgres/home-database.ts';

const operator = { name: 'ada', role: 'admin' } as const;
const parts = { playerId: 'ann', timerId: '', jobId: '', kind: '', module: '' };
const write = { commandId: 'erase-command', reason: 'because of a test' };

let database: HomeDatabase;
let on: Database;
let homes: HomeService;

beforeEach(async () => {
  database = await homeDatabase(inject('postgresUrl'));
  on = new Database({ pool: database.pool, schema: 'kibble' });
  homes = database.service();
  const command = { type: 'home:adopt', name: 'Rex', species: 'dog' } as const;
  await homes.handle([{ playerId: 'ann', commandId: 'adopt-command', command }]);
});
afterEach(() => database.drop());

const eraseAnn = () => {
  const stores = { erasures: new PostgresEraseStore(on), audit: new PostgresAuditStore(on) };
  return erase({ homes, inventory: {}, ...stores }, { operator, parts, input: write });
};

/** Resolves when a session waits for an advisory lock of this database. */
const isWaiting = () =>
  vi.waitFor(async () => {
    const { rowCount } = await database.pool.query(
      `select from pg_locks join pg_database d on d.oid = database
       where d.datname = current_database() and locktype = 'advisory' and not granted`,
    );
    if (rowCount !== 1) throw new Error('no session waits yet');
  }, 10_000);

/** A database on which Ann is erased after the rows of a statement were read, as far as the reader's locks allow. */
const erasedAfter = (statement: string) => {
  let erasing: ReturnType<typeof eraseAnn> | undefined;
  const statements: Database['statements'] = (store, texts) => {
    const all = on.statements(store, texts);
    const rows: typeof all.rows = async (name, ...others) => {
      const found = await all.rows<never>(name, ...others);
      if (name === statement && found.length > 0 && erasing === undefined) {
        erasing = eraseAnn();
        await Promise.race([erasing, isWaiting()]);
      }
      return found;
    };
    return { run: all.run, rows };
  };
  const slow: Database = Object.assign(Object.create(on), { statements });
  return { slow, erased: () => erasing };
};

const tablesOfAnn = async (): Promise<readonly string[]> => {
  const found: string[] = [];
  for (const table of ['home', 'thing', 'event', 'checkpoint', 'job_target']) {
    const { rowCount } = await database.pool.query(`select from kibble.${table} where player_id = 'ann'`);
    if (rowCount) found.push(table);
  }
  return found;
};

describe('an erasure leaves nothing of a player', () => {
  it('whose old events are folded at the same time', async () => {
    const { slow, erased } = erasedAfter('oldest');
    const retained = new PostgresRetainedStore({ database: slow, modules: petsModules(), log: silentLog });
    while ((await retained.foldEvents(LATEST_MS, 100)) === 0);
    expect(await erased()).toMatchObject({ ok: true });
    expect(await tablesOfAnn()).toEqual([]);
  });

  it('who is found at the same time for a new job', async () => {
    const { slow, erased } = erasedAfter('fill');
    const job = { jobId: 'job-command', actor: 'ada', reason: 'a gift', items: { snack: 1 }, perSecond: 10 };
    const made = await new PostgresAuditStore(on).transaction((tx) =>
      new PostgresJobStore(slow).create(tx, { job, filter: {}, sample: 1 }),
    );
    expect(made).toEqual({ count: 1, sample: ['ann'] });
    expect(await erased()).toMatchObject({ ok: true });
    expect(await tablesOfAnn()).toEqual([]);
  });
});
