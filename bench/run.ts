// What `npm run bench` runs: all rows, or those whose name holds the argument. `--quick` only shows that they work, and
// records nothing.
import { currentCommit, currentLoad, describeMachine } from './harness/machine.ts';
import { printed, record } from './harness/report.ts';
import { runRounds } from './harness/rounds.ts';
import type { Row } from './harness/row.ts';
import { Stores } from './harness/stores.ts';
import { burst } from './rows/burst.ts';
import { bytes } from './rows/bytes.ts';
import { commandsSockets } from './rows/commands-sockets.ts';
import { dueToClient } from './rows/due-to-client.ts';
import { dueToClientSockets } from './rows/due-to-client-sockets.ts';
import { flooded } from './rows/floods.ts';
import { gameCommands } from './rows/game-commands.ts';
import { healthy } from './rows/healthy.ts';
import { herd } from './rows/herd.ts';
import { idleRooms } from './rows/idle-rooms.ts';
import { indexOperations } from './rows/index-operations.ts';
import { join } from './rows/join.ts';
import { latenessRows } from './rows/lateness.ts';
import { opsQueries } from './rows/ops-queries.ts';
import { rebuild } from './rows/rebuild.ts';
import { start } from './rows/start.ts';
import { wheelRows } from './rows/wheel.ts';

const rows: readonly Row[] = [
  ...wheelRows,
  ...[indexOperations, bytes, burst],
  gameCommands,
  ...latenessRows,
  ...[healthy, herd, rebuild, dueToClient, flooded],
  ...[commandsSockets, dueToClientSockets, join, idleRooms],
  ...[opsQueries, start],
];

const args = process.argv.slice(2);
const isQuick = args.includes('--quick');
const filters = args.filter((arg) => arg !== '--quick');
const command = ['npm run bench', ...(args.length > 0 ? ['--', ...args] : [])].join(' ');

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const main = async (): Promise<void> => {
  const chosen = rows.filter(({ name }) => filters.length === 0 || filters.some((filter) => name.includes(filter)));
  if (chosen.length === 0) throw new Error(`no such row; there are: ${rows.map(({ name }) => name).join(', ')}`);
  const stores = new Stores();
  try {
    for (const row of chosen) await runRow(row, stores);
  } finally {
    await stores.stop();
  }
};

const runRow = async (row: Row, stores: Stores): Promise<void> => {
  const { name, about, figures, targets } = row;
  const rounds = isQuick ? 1 : row.rounds;
  const load = currentLoad();
  const prepared = await row.prepare({ stores, isQuick });
  if (prepared === undefined) {
    say(`\n${name}: left out, what it measures is not there`);
    return;
  }
  const samples = await runRounds(prepared.contenders, rounds, (contender, round) =>
    say(`  ${name} · round ${round + 1} of ${rounds} · ${contender}`),
  ).finally(prepared.dispose);
  const result = {
    ...{ name, about, rounds, samples, command },
    ...{ figures: [...figures], targets: [...targets] },
    atDay: new Date().toISOString().slice(0, 10),
    commit: currentCommit(),
    machine: { ...(await describeMachine(await stores.postgresUrl(), await stores.redisUrl())), load },
  };
  say(printed(result));
  if (!isQuick) record(result);
};

await main();
