// A process that fires: pets, two healthy kinds, one with a hanging service, one that always fails, and one that blocks
// until its time-out. Ends with its parent.
import { setTimeout as sleep } from 'node:timers/promises';
import { createKibble } from '../../server/kibble.ts';
import type { NewTimer } from '../../server/timer/model/timer-changes.ts';
import { silentLog } from '../../test/support/log/logs.ts';
import { poolOf } from '../game/game-database.ts';
import { SCHEMA } from '../harness/stores.ts';

interface Job {
  readonly url: string;
  readonly redis?: string;
  readonly prefix: string;
}

/** As a server has by default. */
const CONNECTIONS = 16;
const NOW_MS = 'floor(extract(epoch from clock_timestamp()) * 1000)';

const { url, redis, prefix } = JSON.parse(process.argv[2] ?? '{}') as Job;
const pool = poolOf(url, CONNECTIONS);
const kibble = createKibble({
  pool,
  schema: SCHEMA,
  log: silentLog,
  playerId: ({ sub }: { sub: string }) => sub,
  drainMs: 0,
  ...(redis === undefined ? {} : { redis, redisPrefix: prefix }),
  kinds: [
    { kind: 'hanging', atOnce: 400, call: () => new Promise(() => undefined) },
    {
      kind: 'reminder',
      fire: async (timers, tx) => {
        await tx.query(`insert into effect select unnest($1::bigint[]), ${NOW_MS}`, [timers.map(({ id }) => id)]);
        return undefined;
      },
    },
    { kind: 'failing', fire: () => Promise.reject(new Error('as always')), retryDelaysMs: [200, 200, 200] },
    { kind: 'blocking', fire: () => new Promise(() => undefined) },
    { kind: 'mail', call: ({ id }) => pool.query(`insert into effect values ($1, ${NOW_MS})`, [id]) },
  ],
});
const tell = (message: string): void => void process.send?.(message);

process.on('message', (timers: readonly NewTimer[]) => {
  void kibble.timers.schedule(timers).then(() => tell('scheduled'));
});
process.on('disconnect', () => {
  void kibble.lifecycle.shutdown().finally(() => process.exit(0));
});
await kibble.lifecycle.boot();
while (kibble.health.degraded()?.length !== 0) await sleep(50);
tell('ready');
