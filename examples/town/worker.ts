// A process without rooms: it fires the due timers of all processes.
import { openTown } from './town.ts';

const { kibble, pool } = await openTown('worker');
await kibble.lifecycle.boot();
console.log('ready');
process.once('SIGTERM', async () => {
  await kibble.lifecycle.shutdown();
  await pool.end();
  console.log('closed');
});
