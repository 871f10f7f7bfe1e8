// A process that starts the embedded Postgres under its argument, says so, and then waits to be killed. Without waiting
// for the disk: processes are killed, no power is cut.

import { startEmbedded } from '../../server/adapter/postgres/embedded.ts';
import { EmbeddedError } from '../../server/adapter/postgres/embedded-error.ts';

try {
  const { url } = await startEmbedded({ dataDir: process.argv[2] ?? '', isDurable: false });
  process.stdout.write(`${url}\n`);
  process.stdin.resume();
} catch (error) {
  process.stdout.write(`${error instanceof EmbeddedError ? error.code : error}\n`);
}
