import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { Database } from '../../../server/adapter/postgres/database.ts';
import { PostgresConsumerStore } from '../../../server/adapter/postgres/home/consumer-store.ts';
import { PostgresHomeStore } from '../../../server/adapter/postgres/home/home-store.ts';
import { PostgresRetainedStore } from '../../../server/adapter/postgres/home/retained-store.ts';
import { PostgresAuditStore } from '../../../server/adapter/postgres/ops/audit-store.ts';
import { PostgresEraseStore } from '../../../server/adapter/postgres/ops/erase-store.ts';
import { PostgresJobStore } from '../../../server/adapter/postgres/ops/job-store.ts';
import type { HomeService } from '../../../server/home/home-service.ts';
import type { Inventory } from '../../../server/home/model/inventory.ts';
import { erase } from '../../../server/ops/acts/merge-erase.ts';
import { limits } from '../../../server/settings/config.ts';
import type { Tx } from '../../../server/timer/model/timer-store.ts';
import { LATEST_MS } from '../../../shared/latest-ms.ts';
import { petsModules } from '../../../testing/pets-engine.ts';
import { silentLog } from '../../support/log/logs.ts';
import { type HomeDatabase, homeDatabase } from '../../support/postgres/home-database.ts';

const operator = { name: 'ada', role: 'admin' } as const;
const parts = { playerId: 'ann', timerId: '', jobId: '', kind: '', module: '' };
const adopt = { type: 'home:adopt', name: 'Rex', species: 'dog' } as const;
const write = { commandId: 'erase-command', reason: 'because of a test' };

let database: HomeDatabase;
let on: Database;
let homes: HomeService;

beforeEach(async () => {
  database = await homeDatabase(inject('postgresUrl'));
  on = new Database({ pool: database.pool, schema: 'kibble' });
  homes = database.service();
  await homes.handle([{ playerId: 'ann', commandId: 'adopt-command', command: adopt }]);
});
afterEach(() => database.drop());

const eraseAnn = (inventory: Pick<Inventory, 'erase'> = {}, erasedOn = on) => {
  const stores = { erasures: new PostgresEraseStore(erasedOn), audit: new PostgresAuditStore(on) };
  return erase({ homes, inventory, ...stores }, { operator, parts, input: write });
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

/** An erasure of Ann that has removed the rows and holds their locks until it is let go. */
const heldErasure = async () => {
  const held = Promise.withResolvers<void>();
  const letGo = Promise.withResolvers<void>();
  const erased = eraseAnn({
    erase: () => {
      held.resolve();
      return letGo.promise;
    },
  });
  await held.promise;
  return () => {
    letGo.resolve();
    return erased;
  };
};

/** Resolves when a session waits for a row of this database. */
const isWaitingForRow = () =>
  vi.waitFor(async () => {
    const { rowCount } = await database.pool.query(
      "select from pg_stat_activity where datname = current_database() and wait_event = 'transactionid'",
    );
    if (rowCount !== 1) throw new Error('no session waits yet');
  }, 10_000);

/** A database that calls `then` after each read of this statement. */
const databaseWith = (statement: string, then: (found: readonly unknown[]) => Promise<unknown>): Database => {
  const statements: Database['statements'] = (store, texts) => {
    const all = on.statements(store, texts);
    const rows: typeof all.rows = async (name, ...others) => {
      const found = await all.rows<never>(name, ...others);
      if (name === statement) await then(found);
      return found;
    };
    return { run: all.run, rows };
  };
  return Object.assign(Object.create(on), { statements });
};

/** A database on which Ann is erased after the rows of a statement were read, as far as the reader's locks allow. */
const erasedAfter = (statement: string) => {
  let erasing: ReturnType<typeof eraseAnn> | undefined;
  const slow = databaseWith(statement, async (found) => {
    if (found.length === 0 || erasing !== undefined) return;
    erasing = eraseAnn();
    await Promise.race([erasing, isWaiting()]);
  });
  return { slow, erased: () => erasing };
};

const tablesOfAnn = async (): Promise<readonly string[]> => {
  const found: string[] = [];
  for (const table of ['home', 'thing', 'event', 'checkpoint', 'job_target', 'home_hold']) {
    const { rowCount } = await database.pool.query(`select from kibble.${table} where player_id = 'ann'`);
    if (rowCount) found.push(table);
  }
  return found;
};

const thingsOfAnn = async () => {
  const { rows } = await database.pool.query<{ thing_id: string; name: string }>(
    `select thing_id, state->>'name' as name from kibble.thing where player_id = 'ann'`,
  );
  return { things: rows.map(({ thing_id }) => thing_id), names: rows.map(({ name }) => name) };
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

  it('whose home could not be settled, and is put on hold at the same time', async () => {
    const finish = await heldErasure();
    const holding = database.timers.hold([{ owner: 'ann', untilMs: LATEST_MS, attempt: 1, lastError: 'of ann' }]);
    await Promise.race([holding, isWaitingForRow()]);
    expect(await finish()).toMatchObject({ ok: true });
    await holding;
    expect(await tablesOfAnn()).toEqual([]);
  });
});

describe('an erasure that searches large tables', () => {
  /** Fills more than one part of each; every thousandth row mentions Ann. */
  const fill = async (): Promise<void> => {
    await database.pool.query(
      `insert into kibble.audit (command_id, target, actor, action, reason, after, at, hash)
       select 'act-' || g, 'timer:' || g, 'ada', 'fire', repeat('x', 900),
         jsonb_build_object('owner', case when g % 1000 = 0 then 'ann' else 'bob' end), 0, ''
       from generate_series(1, 10000) g`,
    );
    await database.pool.query(
      `insert into kibble.timer_command (id, hash, answer, at)
       select 'call-' || g, repeat('x', 900),
         jsonb_build_array(jsonb_build_object('owner', case when g % 1000 = 0 then 'ann' else 'bob' end)), 0
       from generate_series(1, 10000) g`,
    );
  };
  const addOne = async (on: Tx, name: string): Promise<void> => {
    await on.query(
      `insert into kibble.audit (command_id, target, actor, action, reason, after, at, hash)
       values ($1, 'timer:0', 'ada', 'fire', '', '{"owner":"ann"}', 0, '')`,
      [name],
    );
    await on.query(`insert into kibble.timer_command (id, hash, answer, at) values ($1, '', '[{"owner":"ann"}]', 0)`, [
      name,
    ]);
  };
  const mentionsOfAnn = async (): Promise<readonly unknown[]> =>
    (
      await database.pool.query(
        `select id::text from kibble.audit t where position('"ann"' in t::text) > 0 or target = 'player:ann'
         union all select id from kibble.timer_command t where position('ann' in answer::text) > 0`,
      )
    ).rows;

  it('finds all rows, also those committed meanwhile by older transactions, and lets consumers read on', async () => {
    await fill();
    const consumers = new PostgresConsumerStore(on);
    await consumers.register([{ name: 'quests', from: 'now' }]);
    const older = await database.pool.connect();
    await older.query('begin');
    await addOne(older, 'older');
    let isRead = false;
    const searching = databaseWith('timer_command_part', async (found) => {
      const isLastPart = found.some((row) => (row as { id: string }).id === 'call-10000');
      if (!isLastPart) return;
      await older.query('commit');
      await addOne(database.pool, 'younger');
      await homes.handle([{ playerId: 'bob', commandId: 'adopt-by-bob', command: adopt }]);
      await vi.waitFor(async () => {
        const page = await consumers.read('quests', 10);
        if (page?.to.playerId !== 'bob') throw new Error('an older transaction is still open');
      }, 10_000);
      isRead = true;
    });
    const erased = await eraseAnn({}, searching);
    older.release();
    expect(isRead).toBe(true);
    expect(erased).toMatchObject({ ok: true, value: { answer: { removed: { home: 1, timer_command: 12 } } } });
    expect(await mentionsOfAnn()).toEqual([]);
  });
});

describe('a batch that begins before an erasure commits, and ends after it', () => {
  /** A process whose batch has read Ann's old things and log when the erasure commits. */
  const besideErasure = async () => {
    const commitErasure = await heldErasure();
    const slow = databaseWith('answered', commitErasure);
    const store = new PostgresHomeStore({ database: slow, modules: petsModules(), limits: limits.transaction });
    return database.service({ store });
  };

  it('adds the rows of the new life, also with the ids of the old one', async () => {
    const { things: old } = await thingsOfAnn();
    const again = { type: 'home:adopt', name: 'Tom', species: 'cat' } as const;
    const [outcome] = await (await besideErasure()).handle([
      { playerId: 'ann', commandId: 'adopt-again', command: again },
    ]);
    expect(outcome).toMatchObject({ ok: true });
    const { things, names } = await thingsOfAnn();
    expect(things).toEqual(old);
    expect(names).toEqual(['Tom']);
  });

  it('does not answer a command with events of the old life', async () => {
    const [outcome] = await (await besideErasure()).handle([
      { playerId: 'ann', commandId: 'adopt-command', command: adopt },
    ]);
    expect(outcome).toMatchObject({ ok: true });
    expect((await thingsOfAnn()).names).toEqual(['Rex']);
    expect(await tablesOfAnn()).toContain('event');
  });

  it('whose events a consumer handles at the same time', async () => {
    const store = new PostgresConsumerStore(on);
    await store.register([{ name: 'quests', from: 'oldest' }]);
    const page = await vi.waitFor(async () => {
      const found = await store.read('quests', 10);
      if (!found) throw new Error('an older transaction is still open');
      return found;
    }, 10_000);
    expect(page.to.playerId).toBe('ann');
    const finish = await heldErasure();
    const moving = store.move('quests', page.from, page.to);
    await Promise.race([moving, isWaitingForRow()]);
    expect(await finish()).toMatchObject({ ok: true });
    // The same page comes again, without the erased player.
    expect(await moving).toBe(false);
    expect(await store.read('quests', 10)).toBeUndefined();
    const { rows } = await database.pool.query('select player_id from kibble.consumer');
    expect(rows).toEqual([{ player_id: '' }]);
  });
});
