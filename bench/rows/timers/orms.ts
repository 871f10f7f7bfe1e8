import type { Pool } from 'pg';
import { createTimers, silent } from '../../../server/timers.ts';
import type { Sql } from '../../../shared/host-rows.ts';
import { type Orm, orms } from '../../../test/support/orms/orms.ts';
import { poolOf } from '../../game/game-database.ts';
import type { Row } from '../../harness/row.ts';
import { quantile } from '../../harness/spread.ts';

const PG = 'pg';
const NAMELESS = 'pg without prepared names';
const NOW_MS = 1_900_000_000_000;

/** The cost of an ORM's transaction beside one of `pg`, which prepares our statements once per connection. */
export const ormTransactions: Row = {
  name: 'orms',
  about:
    'One transaction after the other on one connection: begin, one shift of a timer, commit. On a client of pg; on the same by text and values alone, so that Postgres parses and plans each statement anew; and in transactions of ORMs by fromDrizzle, fromPrisma and the recipes. What the ORM itself takes for begin and commit is in it.',
  rounds: 5,
  figures: [
    { name: 'perSec', unit: '/s' },
    { name: 'p50', unit: 'ms' },
  ],
  targets: [],
  prepare: async ({ stores, isQuick }) => {
    const database = await stores.migrated();
    const pool = poolOf(database.url, 4);
    const { timers, lifecycle } = createTimers({ pool, log: silent, kinds: [{ kind: 'order', call: async () => {} }] });
    await lifecycle.boot();
    await timers.schedule([{ kind: 'order', subject: 'a', owner: 'ann', dueAtMs: NOW_MS }]);
    const all = { ...ofPg(pool), ...(await openAll(database.url)) };
    const lastsMs = isQuick ? 300 : 2000;
    const measure = async ({ transaction }: Pick<Orm, 'transaction'>) => {
      const shift = () => transaction((tx) => timers.within(tx).shift([{ kind: 'order', subject: 'a', byMs: 1 }]));
      for (let at = 0; at < 50; at += 1) await shift();
      const times: number[] = [];
      for (const endAtMs = performance.now() + lastsMs; performance.now() < endAtMs; ) {
        const beganAtMs = performance.now();
        await shift();
        times.push(performance.now() - beganAtMs);
      }
      return {
        perSec: (times.length / times.reduce((sum, ms) => sum + ms, 0)) * 1000,
        p50: quantile(times, 0.5),
      };
    };
    return {
      contenders: Object.entries(all).map(([name, orm]) => ({ name, measure: () => measure(orm) })),
      dispose: async () => {
        for (const orm of Object.values(all)) await orm.close();
        await lifecycle.shutdown();
        await pool.end();
      },
    };
  },
};

const openAll = async (url: string): Promise<Readonly<Record<string, Orm>>> =>
  Object.fromEntries(await Promise.all(Object.entries(orms).map(async ([name, open]) => [name, await open(url)])));

const ofPg = (pool: Pool): Readonly<Record<string, Orm>> => {
  const orm = (txOf: (client: Sql) => Sql): Orm => ({
    transaction: async (work) => {
      const client = await pool.connect();
      await client.query('begin');
      const result = await work(txOf(client as Sql), async () => undefined);
      await client.query('commit');
      client.release();
      return result;
    },
    close: async () => undefined,
  });
  return {
    [PG]: orm((client) => client),
    [NAMELESS]: orm((client) => ({ query: (text, values) => client.query(text, values) })),
  };
};
