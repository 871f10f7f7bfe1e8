import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'pg';
import { systemClock } from '../../../server/adapter/machine/system-clock.ts';
import { Coalescer } from '../../../server/runtime/coalescer.ts';
import { type Fires, type Item, type OpenSystem, type Outcome, ownerOf, POOL_SIZE } from '../measure/timer-system.ts';

const tables = `
create table waiting (id bigint primary key, owner bigint not null, due_at float8 not null);
create index waiting_due on waiting (due_at);
create index waiting_owner on waiting (owner, due_at)`;

const scheduleSql = `
insert into waiting select * from unnest($1::bigint[], $2::bigint[], $3::float8[]) on conflict do nothing returning id`;

/** Locks rows in the order of their ids, so that two lanes do not wait for each other. */
const moveSql = `
with mine as (select waiting.id, wanted.due_at from unnest($1::bigint[], $2::float8[]) as wanted (id, due_at)
  join waiting using (id) order by waiting.id for update of waiting)
update waiting set due_at = mine.due_at from mine where waiting.id = mine.id returning waiting.id`;
const shiftSql = `
with wanted as (select id, sum(by_ms) as by_ms from unnest($1::bigint[], $2::float8[]) as each (id, by_ms) group by id),
  mine as (select waiting.id, wanted.by_ms from wanted join waiting using (id) order by waiting.id for update of waiting)
update waiting set due_at = due_at + mine.by_ms from mine where waiting.id = mine.id returning waiting.id`;
const cancelSql = `
with mine as (select id from waiting where id = any ($1::bigint[]) order by id for update)
delete from waiting using mine where waiting.id = mine.id returning waiting.id`;

const claimSql = `
with due as (delete from waiting where id in
  (select id from waiting where due_at <= $1 order by due_at limit 500 for update skip locked) returning id)
insert into effect select id, $1 from due returning timer as id`;

const BATCH_LIMIT = 1_000;
const IDLE_MS = 5;

interface Change {
  readonly id: number;
  readonly ms: number;
}

/** The physical limit on Postgres: concurrent calls share a statement and a commit; a fire is one statement. */
export const open: OpenSystem = async ({ postgresUrl }) => {
  const pool = new Pool({ connectionString: postgresUrl, max: POOL_SIZE });
  await pool.query(tables);
  const run = async (name: string, text: string, values: unknown[]): Promise<Set<number>> => {
    const { rows } = await pool.query<{ id: string }>({ name, text, values });
    return new Set(rows.map(({ id }) => Number(id)));
  };
  const insert = async (items: readonly Change[]): Promise<readonly Outcome[]> => {
    const ids = items.map(({ id }) => id);
    return outcomes(items, await run('schedule', scheduleSql, [ids, ids.map(ownerOf), items.map(({ ms }) => ms)]));
  };
  const schedules = coalesced(insert);
  const moves = coalesced(async (items) => {
    const last = [...new Map(items.map((item) => [item.id, item])).values()];
    return outcomes(items, await run('move', moveSql, [last.map(({ id }) => id), last.map(({ ms }) => ms)]));
  });
  const shifts = coalesced(async (items) =>
    outcomes(items, await run('shift', shiftSql, [items.map(({ id }) => id), items.map(({ ms }) => ms)])),
  );
  const cancels = coalesced(async (items) =>
    outcomes(items, await run('cancel', cancelSql, [items.map(({ id }) => id)])),
  );

  return {
    settings: `one table, indexes by due time and by owner, prepared statements, pool ${POOL_SIZE}, batches as Kibble's; a fire deletes the row and inserts the effect in one statement, 500 a time, ${IDLE_MS} ms idle`,
    schedule: async ({ id, dueAtMs }) => void (await schedules({ id, ms: dueAtMs })),
    bulk: {
      limit: BATCH_LIMIT,
      schedule: async (items: readonly Item[]) => void (await insert(items.map(({ id, dueAtMs: ms }) => ({ id, ms })))),
    },
    reschedule: (id, dueAtMs) => moves({ id, ms: dueAtMs }),
    shift: (id, byMs) => shifts({ id, ms: byMs }),
    cancel: (id) => cancels({ id, ms: 0 }),
    start: async (fires) => void claimLoop(run, fires),
  };
};

const claimLoop = async (
  run: (name: string, text: string, values: unknown[]) => Promise<Set<number>>,
  fires: Fires,
): Promise<never> => {
  for (;;) {
    const ids = [...(await run('claim', claimSql, [Date.now()]))];
    fires.began(ids);
    fires.committed(ids);
    if (ids.length === 0) await sleep(IDLE_MS);
  }
};

const coalesced = (
  run: (items: readonly Change[]) => Promise<readonly Outcome[]>,
): ((item: Change) => Promise<Outcome>) => {
  const coalescer = new Coalescer<Change, Outcome>({
    run,
    nameOf: ({ id }) => String(id),
    isOfOne: () => false,
    limit: BATCH_LIMIT,
    after: systemClock.after,
  });
  return async (item) => (await coalescer.add([item]))[0] ?? 'too-late';
};

const outcomes = (items: readonly Change[], changed: ReadonlySet<number>): readonly Outcome[] =>
  items.map(({ id }) => (changed.has(id) ? 'applied' : 'too-late'));
