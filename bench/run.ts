// What `npm run bench` runs: all rows, or those whose name holds the argument. `--quick` measures little and compares it with
// what `--quick --record` wrote; it ends with 1 when something got worse.
import { currentCommit, currentLoad, describeMachine } from './harness/machine.ts';
import { measureRow } from './harness/measure-row.ts';
import { printed, record } from './harness/report.ts';
import type { Row } from './harness/row.ts';
import { Stores } from './harness/stores.ts';
import { guardRows, recordQuick } from './quick/run-quick.ts';
import { burst } from './rows/burst.ts';
import { bytes } from './rows/bytes.ts';
import { commandsSockets } from './rows/commands-sockets.ts';
import { costs } from './rows/costs.ts';
import { dueToClient } from './rows/due-to-client.ts';
import { dueToClientSockets } from './rows/due-to-client-sockets.ts';
import { flooded } from './rows/floods.ts';
import { gameCommands } from './rows/game-commands.ts';
import { growth } from './rows/growth.ts';
import { healthy } from './rows/healthy.ts';
import { herd } from './rows/herd.ts';
import { idleRooms } from './rows/idle-rooms.ts';
import { indexOperations } from './rows/index-operations.ts';
import { isolation } from './rows/isolation.ts';
import { join } from './rows/join.ts';
import { latenessRows } from './rows/lateness.ts';
import { longSettle } from './rows/long-settle.ts';
import { opsQueries } from './rows/ops-queries.ts';
import { rebuild } from './rows/rebuild.ts';
import { start } from './rows/start.ts';
import { verify } from './rows/verify.ts';
import { wheelRows } from './rows/wheel.ts';

const rows: readonly Row[] = [
  ...wheelRows,
  ...[indexOperations, bytes, burst],
  gameCommands,
  ...latenessRows,
  ...[isolation, healthy, herd, rebuild, dueToClient, flooded, longSettle],
  ...[commandsSockets, dueToClientSockets, join, idleRooms],
  ...[growth, costs, opsQueries, verify, start],
];

const args = process.argv.slice(2);
const isQuick = args.includes('--quick');
const isRecording = args.includes('--record');
const filters = args.filter((arg) => !arg.startsWith('--'));
const command = ['npm run bench', ...(args.length > 0 ? ['--', ...args] : [])].join(' ');

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const main = async (): Promise<void> => {
  const isWhole = filters.length === 0;
  const chosen = rows.filter(({ name, quick }) =>
    isWhole ? !isQuick || quick : filters.some((filter) => name.includes(filter)),
  );
  if (chosen.length === 0) throw new Error(`no such row; there are: ${rows.map(({ name }) => name).join(', ')}`);
  const stores = new Stores();
  try {
    if (!isQuick) for (const row of chosen) await runRow(row, stores);
    else if (isRecording) await recordQuick({ rows: chosen, stores, isWhole, say });
    else if (!(await guardRows({ rows: chosen, stores, isWhole, say }))) process.exitCode = 1;
  } finally {
    await stores.stop();
  }
};

const runRow = async (row: Row, stores: Stores): Promise<void> => {
  const { name, about, figures, targets, rounds } = row;
  const load = currentLoad();
  const samples = await measureRow(row, { stores, rounds, isQuick: false, say });
  if (samples === undefined) return;
  const result = {
    name,
    about,
    rounds,
    samples,
    command,
    figures: [...figures],
    targets: [...targets],
    atDay: new Date().toISOString().slice(0, 10),
    commit: currentCommit(),
    machine: { ...(await describeMachine(await stores.postgresUrl(), await stores.redisUrl())), load },
  };
  say(printed(result));
  record(result);
};

await main();
