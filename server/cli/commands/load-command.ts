import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { CommandFault, usageFault } from '../console/command-fault.ts';
import { type Context, durationOf, wholeOf } from '../console/context.ts';
import { reportLines } from '../load/load-lines.ts';
import { ProgressOfLoad } from '../load/load-progress.ts';
import { isWell, reportOf } from '../load/load-report.ts';
import { LoadRefused } from '../load/play.ts';
import { type LoadOptions, runLoad } from '../load/run-load.ts';
import { loadPackages } from '../load/sdk.ts';
import { rulesAt, rulesOf } from '../pets/known-rules.ts';
import { petsPlay } from '../pets/pets-play.ts';

interface Flags {
  readonly players: number;
  readonly rate?: number;
  readonly ratePerPlayer?: number;
  readonly duration: number;
  readonly rampUp: number;
  readonly seed: number;
  readonly rules?: string;
}

/** `kibble load`. */
export const addLoadCommand = (program: Command, context: Context): void => {
  program
    .command('load')
    .description('let guests play over real sockets, and measure; exit code 1 when not all was sent and replied to')
    .option('--players <count>', 'on one connection each', playersOf, 100)
    .option('--rate <perSecond>', 'commands of all players together', rateOf)
    .option('--rate-per-player <perSecond>', 'commands of each player (default: 0.5)', rateOf)
    .option('--duration <duration>', 'after the ramp-up', durationOf, durationOf('30s'))
    .option('--ramp-up <duration>', 'players join and the rate grows', durationOf, durationOf('5s'))
    .option('--seed <number>', 'another one, other commands', wholeOf, 1)
    .option('--rules <file>', 'the RULES_FILE of a server that does not tell its rules')
    .action(async (flags: Flags, command: Command) => {
      const url = context.url(command);
      await load({ url, ...flags }, command, context).catch((error: unknown) => {
        throw error instanceof LoadRefused ? new CommandFault(error.message, 1) : error;
      });
    });
};

/** A player who taps every two seconds. */
const USUAL_PER_PLAYER = 0.5;

const load = async (flags: Flags & { url: string }, command: Command, context: Context): Promise<void> => {
  const { url, players, rate, ratePerPlayer = USUAL_PER_PLAYER, seed, duration, rampUp, rules } = flags;
  const { terminal } = context;
  if (rate !== undefined && flags.ratePerPlayer !== undefined) {
    throw usageFault('--rate and --rate-per-player exclude each other');
  }
  if (duration <= 0 || rampUp < 0) throw usageFault('--duration lasts some time, and --ramp-up not less than none');
  const ownRules = rules === undefined ? undefined : readRules(rules);
  const packages = await loadPackages();
  if (!packages) throw usageFault('load needs two packages more: npm install @colyseus/sdk hdr-histogram-js');
  const options: LoadOptions = {
    url,
    players,
    seed,
    perSec: rate ?? ratePerPlayer * players,
    rampUpMs: rampUp,
    forMs: duration,
    play: petsPlay(ownRules ?? (await rulesAt(url, terminal.signal))),
  };
  const progress = new ProgressOfLoad(terminal);
  const outcome = await runLoad(options, terminal, packages, (now) => progress.tell(now));
  progress.end();
  const report = reportOf(options, outcome);
  context.show(command, report, () => reportLines(report, options.play.hint));
  if (!isWell(report)) context.foundSomething();
};

const readRules = (file: string): ReturnType<typeof rulesOf> => {
  try {
    return rulesOf(JSON.parse(readFileSync(file, 'utf8')), file);
  } catch (error) {
    throw usageFault(`--rules: ${error instanceof Error ? error.message : error}`);
  }
};

const rateOf = (text: string): number => {
  const value = Number(text);
  if (!(value > 0 && Number.isFinite(value))) throw usageFault(`${text} is no rate: it is a number above 0`);
  return value;
};

const playersOf = (text: string): number => {
  const count = wholeOf(text);
  if (count === 0) throw usageFault('--players is 1 or more');
  return count;
};
