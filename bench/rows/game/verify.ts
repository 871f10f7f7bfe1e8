import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { inUnit, type Row, type Sample } from '../../harness/row.ts';

const KIBBLE = 'kibble verify';
const PLAYERS = { quick: 1_000, full: 100_000 };
const command = path.join(import.meta.dirname, '../../../server/cli/kibble-command.ts');

/** How long an operator waits for the result that all players' rows match their logs. */
export const verify: Row = {
  name: 'verify',
  about: `The command \`kibble verify\`, from its start to its end, on a database of ${PLAYERS.full.toLocaleString('en')} players that \`kibble seed\` made (two pets and about 12 events each): every log is folded and compared with the rows and timers of its player.`,
  rounds: 3,
  figures: [{ name: 'whole', unit: 's' }, ...inUnit('/s', 'players', 'events')],
  targets: [{ of: KIBBLE, figure: 'whole', atMost: 120 }],
  prepare: async ({ stores, isQuick }) => {
    const database = await stores.migrated();
    const players = isQuick ? PLAYERS.quick : PLAYERS.full;
    await kibble(database.url, 'seed', '--players', `${players}`);
    return {
      contenders: [{ name: KIBBLE, measure: () => measure(database.url, players) }],
    };
  },
};

const Verified = z.object({ players: z.number(), events: z.number(), differences: z.literal(0) });

const measure = async (url: string, players: number): Promise<Sample> => {
  const startedAtMs = performance.now();
  const answer = Verified.parse(await kibble(url, 'verify'));
  const seconds = (performance.now() - startedAtMs) / 1000;
  if (answer.players !== players) throw new Error(`${answer.players} of ${players} players were compared`);
  return { whole: seconds, players: answer.players / seconds, events: answer.events / seconds };
};

/** The command's last output. */
const kibble = async (url: string, ...args: readonly string[]): Promise<unknown> => {
  const env = { PATH: process.env.PATH ?? '', DATABASE_URL: url };
  const { stdout } = await promisify(execFile)(process.execPath, [command, ...args, '--json'], { env });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
};
