// A process that starts the embedded Postgres under its argument, says so, and then waits to be killed. Without waiting
// for the disk: processes are killed, no power is cut. A second argument is how long Postgres outlives it, ms.

import { startEmbedded } from '../../../server/adapter/embedded-postgres/embedded.ts';
import { EmbeddedError } from '../../../server/adapter/embedded-postgres/embedded-error.ts';

try {
  const [, , dataDir = '', abandonedAfterMs] = process.argv;
  const limit = abandonedAfterMs === undefined ? {} : { abandonedAfterMs: Number(abandonedAfterMs) };
  const { url } = await startEmbedded({ dataDir, isDurable: false, ...limit });
  process.stdout.write(`${url}\n`);
  process.stdin.resume();
} catch (error) {
  process.stdout.write(`${error instanceof EmbeddedError ? error.code : error}\n`);
}
