// A process that fires timers of the kind `order`, with an effect in the same transaction. Ends with its parent.
import { createPool } from '../../../server/adapter/postgres/pool.ts';
import { createTimers } from '../../../server/timers.ts';
import { silentLog } from '../../support/log/logs.ts';

const { url, redis } = JSON.parse(process.argv[2] ?? '{}') as { readonly url: string; readonly redis: string };
/** When the transaction of the fire began, by Postgres: nothing that it does came earlier. */
const BEGUN_MS = 'floor(extract(epoch from now()) * 1000)';

const pool = createPool({ url, max: 6, log: silentLog });
const { lifecycle } = createTimers({
  pool,
  redis,
  log: silentLog,
  kinds: [
    {
      kind: 'order',
      fire: async (timers, tx) => {
        await tx.query(`insert into effect select unnest($1::bigint[]), ${BEGUN_MS}`, [timers.map(({ id }) => id)]);
        return undefined;
      },
    },
  ],
});
process.on('disconnect', () => process.exit(0));
await lifecycle.boot();
process.send?.({ atMs: Date.now() });
