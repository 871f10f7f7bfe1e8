import { Pool } from 'pg';
import { Database } from '../../../server/adapter/postgres/database.ts';
import { PostgresVerifyStore } from '../../../server/adapter/postgres/ops/verify-store.ts';
import { createHomeTables } from '../../../server/adapter/postgres/schema/create-home-tables.ts';
import { createTimerTables } from '../../../server/adapter/postgres/schema/create-timer-tables.ts';
import { type HomeDifference, verify } from '../../../server/ops/offline/verify.ts';
import { petsModules } from '../../../testing/pets-engine.ts';
import { createFromTemplate } from './postgres-server.ts';

const hostPool = (url: string): Pool => new Pool({ connectionString: url, max: 8 });

const makeTables = async (url: string): Promise<void> => {
  const pool = hostPool(url);
  await pool.query(`create schema kibble; ${createHomeTables('kibble')} ${createTimerTables('kibble')}`);
  await pool.end();
};

/** An empty database with the tables of timers and homes in the schema `kibble`, and a pool on it: as a host has it, unless said otherwise. */
export const createTimerDatabase = async (serverUrl: string, open = hostPool) => {
  const { url, drop } = await createFromTemplate(serverUrl, 'timer_template', makeTables);
  const pool = open(url);
  pool.on('error', () => undefined);
  const dispose = async (): Promise<void> => {
    await pool.end();
    await drop();
  };
  return { pool, schema: 'kibble', dispose };
};

/** Inserts scheduled timers; `select` returns kind, subject, owner and due time. */
export const insertTimers = (select: string): string => `
with w(kind, subject, owner, due_at) as (${select}),
t as (insert into kibble.timer (kind, subject, owner, created_at) select kind, subject, owner, 0 from w returning *)
insert into kibble.timer_due (id, kind, owner, due_at, fire_at, updated_at)
select t.id, t.kind, t.owner, w.due_at, w.due_at, 0 from t join w using (kind, subject)`;

/** Ends scheduled timers, of which `where` says which, as `timer` has them. */
export const endTimers = (state: 'completed' | 'cancelled' | 'dead', where: string): string => `
with d as (
  delete from kibble.timer_due d using kibble.timer t where t.id = d.id and t.state = 'scheduled' and ${where}
  returning d.*)
update kibble.timer t set state = '${state}', due_at = d.due_at, fire_at = d.fire_at, revision = d.revision + 1,
  turn = d.turn, attempt = d.attempt, last_error = d.last_error, updated_at = d.updated_at
from d where t.id = d.id`;

/** Where the rows of a database of pets differ from its log. */
export const differencesIn = async (pool: Pool): Promise<readonly HomeDifference[]> => {
  const found: HomeDifference[] = [];
  await verify({
    modules: petsModules(),
    store: new PostgresVerifyStore({ database: new Database({ pool, schema: 'kibble' }), modules: petsModules() }),
    checksItems: true,
    signal: new AbortController().signal,
    onDifference: (difference) => found.push(difference),
    onProgress: () => undefined,
  });
  return found;
};
