import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { LoadRefused, rulesAt, rulesOf } from './load/known-rules.ts';
import { reportLines } from './load/load-lines.ts';
import { ProgressOfLoad, type ProgressTerminal } from './load/load-progress.ts';
import { isWell, reportOf } from './load/load-report.ts';
import { type LoadMachine, type LoadOptions, runLoad } from './load/run-load.ts';
import { loadPackages } from './load/sdk.ts';

/** Where the command runs. */
export interface LoadSurroundings {
  readonly terminal: LoadMachine & ProgressTerminal & { say(line: string): void };
  /** Of the server to load when nobody says `--url`. */
  readonly defaultUrl: () => string | undefined;
  /** The command did its work, and not all is well: exit code 1. */
  readonly foundSomething: () => void;
}

interface Flags {
  readonly players: number;
  readonly rate?: number;
  readonly ratePerPlayer?: number;
  readonly duration: number;
  readonly rampUp: number;
  readonly seed: number;
  readonly rules?: string;
}

/** `kibble load`. The program has `--url` and `--json`. */
export const addLoad = (program: Command, surroundings: LoadSurroundings): void => {
  program
    .command('load')
    .description('let guests play over real sockets, and measure; exit code 1 when not all was sent and answered')
    .addOption(flag('--players <count>', 'on one connection each', wholeAbove0).default(100))
    .addOption(flag('--rate <perSecond>', 'commands of all players together', above0))
    .addOption(flag('--rate-per-player <perSecond>', 'commands of each player (default: 0.5)', above0))
    .addOption(flag('--duration <duration>', 'after the ramp-up', durationMs).default(30_000, '30s'))
    .addOption(flag('--ramp-up <duration>', 'players join and the rate grows', durationMs).default(5_000, '5s'))
    .addOption(flag('--seed <number>', 'another one, other commands', whole).default(1))
    .option('--rules <file>', 'the RULES_FILE of a server that does not tell its rules')
    .action(async (_flags, command: Command) => load(command, surroundings));
};

const flag = <Value>(flags: string, description: string, parse: (text: string) => Value): Option =>
  new Option(flags, description).argParser(parse);

/** A player who taps every two seconds. */
const USUAL_PER_PLAYER = 0.5;

const load = async (command: Command, { terminal, defaultUrl, foundSomething }: LoadSurroundings): Promise<void> => {
  const flags = command.optsWithGlobals<Flags & { readonly url?: string; readonly json?: boolean }>();
  const { players, rate, ratePerPlayer = USUAL_PER_PLAYER, seed } = flags;
  const fail = (message: string): never => command.error(`error: ${message}`, { exitCode: 2, code: 'usage' });
  if (rate !== undefined && flags.ratePerPlayer !== undefined) fail('--rate and --rate-per-player exclude each other');
  const url = flags.url ?? defaultUrl() ?? fail('no server is known: start one here, or pass --url');
  if (!/^https?:/.test(url) || !URL.canParse(url)) fail(`--url is no address of a server: ${url}`);
  const ownRules = flags.rules === undefined ? undefined : readRules(flags.rules, fail);
  const packages = await loadPackages();
  if (!packages) return fail('load needs two packages more: npm install @colyseus/sdk hdr-histogram-js');
  try {
    const options: LoadOptions = {
      ...{ url, players, seed, perSec: rate ?? ratePerPlayer * players, rampUpMs: flags.rampUp, forMs: flags.duration },
      rules: ownRules ?? (await rulesAt(url, terminal.signal)),
    };
    const progress = new ProgressOfLoad(terminal);
    const outcome = await runLoad(options, terminal, packages, (now) => progress.tell(now));
    progress.end();
    const report = reportOf(options, outcome);
    if (flags.json) terminal.say(JSON.stringify(report));
    else for (const line of reportLines(report)) terminal.say(line);
    if (!isWell(report)) foundSomething();
  } catch (error) {
    if (!(error instanceof LoadRefused)) throw error;
    terminal.note(flags.json ? JSON.stringify({ code: 'failed', message: error.message }) : `error: ${error.message}`);
    foundSomething();
  }
};

const readRules = (file: string, fail: (message: string) => never): LoadOptions['rules'] => {
  try {
    return rulesOf(JSON.parse(readFileSync(file, 'utf8')), file);
  } catch (error) {
    return fail(`--rules: ${error instanceof Error ? error.message : error}`);
  }
};

const above0 = (text: string): number => {
  const value = Number(text);
  if (!(value > 0 && Number.isFinite(value))) throw new InvalidArgumentError('It must be a number above 0.');
  return value;
};

const whole = (text: string): number => {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
};

const wholeAbove0 = (text: string): number => {
  if (whole(text) === 0) throw new InvalidArgumentError('It must be 1 or more.');
  return whole(text);
};

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, min: 60_000, h: 3_600_000 };

const durationMs = (text: string): number => {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|min|h)$/.exec(text) ?? [];
  const ms = Number(amount) * (units[unit] ?? Number.NaN);
  if (!Number.isInteger(ms)) throw new InvalidArgumentError('Write 500ms, 30s, 5min or 1h.');
  return ms;
};
