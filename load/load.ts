import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { Context } from '../server/cli/console/context.ts';
import { CommandFault, usageFault } from '../server/cli/console/terminal.ts';
import { catalogueIn, rulesAt } from './known-rules.ts';
import { reportLines } from './load-lines.ts';
import { ProgressOfLoad } from './load-progress.ts';
import { isWell, reportOf } from './load-report.ts';
import { petsPlay } from './pets-play.ts';
import { LoadRefused } from './play.ts';
import { type LoadOptions, runLoad } from './run-load.ts';
import { loadPackages } from './sdk.ts';

/** A player that taps every two seconds. */
const USUAL_PER_PLAYER = 0.5;

/** The flags of the command line. */
export interface LoadFlags {
  readonly players: number;
  readonly rate?: number;
  readonly ratePerPlayer?: number;
  readonly duration: number;
  readonly rampUp: number;
  readonly seed: number;
  readonly rules?: string;
}

type Options = LoadFlags & { readonly url: string };

/** Plays, and prints the report. Throws `CommandFault` for invalid options, and for a server without a playable game. */
export const load = async (flags: Options, command: Command, context: Context): Promise<void> => {
  try {
    await playAndReport(flags, command, context);
  } catch (error) {
    throw error instanceof LoadRefused ? new CommandFault(error.message, 1) : error;
  }
};

const playAndReport = async (flags: Options, command: Command, context: Context): Promise<void> => {
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
  const outcome = await runLoad(options, terminal, packages, (now) => progress.show(now));
  progress.end();
  const report = reportOf(options, outcome);
  context.show(command, report, () => reportLines(report, options.play.hint));
  if (!isWell(report)) context.foundSomething();
};

const readRules = (file: string): ReturnType<typeof catalogueIn> => {
  try {
    return catalogueIn(JSON.parse(readFileSync(file, 'utf8')), file);
  } catch (error) {
    throw usageFault(`--rules: ${error instanceof Error ? error.message : error}`);
  }
};
