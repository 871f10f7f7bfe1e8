// `npm run bench`.
import '../test/support/machine/end-on-sigterm.ts';
import path from 'node:path';
import { atLeast, readArguments } from '../build/read-arguments.ts';
import { runAgainst } from './compare/against.ts';
import { guardRows, recordQuick } from './compare/quick.ts';
import { say } from './harness/contender-run.ts';
import { currentCommit, currentLoad, describeMachine } from './harness/machine.ts';
import { printed, record } from './harness/results.ts';
import { measureRow } from './harness/rounds.ts';
import type { Row } from './harness/row.ts';
import { rowsIn } from './harness/rows-in.ts';
import { Stores } from './harness/stores.ts';

const rows = await rowsIn(path.dirname(import.meta.dirname));

const usage = `npm run bench [-- row ...]                 measures all rows, or those whose name holds a word, and records them
npm run bench -- --quick                   measures little, and ends with 1 when something got worse
npm run bench -- --quick --record          ... than what this wrote
npm run bench -- row --against ../before   measures in another checkout too, in pairs (--rounds 7 of them), and
                                           records nothing
`;
const { options, chosen, isWhole } = readArguments(
  {
    usage,
    options: {
      quick: { type: 'boolean', default: false },
      record: { type: 'boolean', default: false },
      against: { type: 'string' },
      rounds: { type: 'string' },
    },
    takesWords: true,
  },
  ({ values, positionals }) => {
    const isEach = positionals.length === 0;
    const named = rows.filter(({ name, quick }) =>
      isEach ? !values.quick || quick : positionals.some((part) => name.includes(part)),
    );
    if (named.length === 0) throw new Error(`no such row; there are: ${rows.map(({ name }) => name).join(', ')}`);
    const { rounds, record, quick, against } = values;
    if (rounds !== undefined && against === undefined) throw new Error('--rounds is for --against');
    if (record && (!quick || against !== undefined)) throw new Error('--record is for --quick');
    const pairs = rounds === undefined ? undefined : atLeast(1, 'rounds', rounds);
    return { options: { ...values, pairs }, chosen: named, isWhole: isEach };
  },
);
/** Read at the start, since files may change while it runs. */
const commit = currentCommit();
const args = process.argv.slice(2);
const isUsualSize = ['MANY', 'OPS_PLAYERS', 'OPS_PETS', 'LAUNCH_PLAYERS'].every(
  (name) => process.env[name] === undefined,
);
const { quick: isQuick, record: isRecording, against, pairs } = options;
const command = ['npm run bench', ...(args.length > 0 ? ['--', ...args] : [])].join(' ');

const main = async (): Promise<void> => {
  const stores = new Stores();
  try {
    if (against !== undefined)
      for (const row of chosen) await runAgainst(row, { root: against, stores, isQuick, rounds: pairs, say });
    else if (!isQuick) for (const row of chosen) await runRow(row, stores);
    else if (isRecording) await recordQuick({ rows: chosen, stores, isWhole, say }, commit);
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
    commit,
    machine: { ...(await describeMachine(await stores.postgresUrl(), await stores.redisUrl())), load },
  };
  say(printed(result));
  if (isUsualSize) record(result);
};

await main();
