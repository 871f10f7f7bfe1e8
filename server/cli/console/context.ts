import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { OpsWrite } from '../../../shared/ops/acts.ts';
import { type ModuleWords, wordsOf } from '../../../shared/ops/fill-words.ts';
import { visible } from '../../../shared/text.ts';
import { type OpsClient, opsClient } from './ops-client.ts';
import { type CommandFault, type Terminal, usageFault } from './terminal.ts';

/** The server's address and token from the environment and the data folder. */
export interface Defaults {
  readonly url: string | undefined;
  readonly token: string | undefined;
  /** The token in the data folder, only for the server of that folder, whose address is `url`. */
  readonly keptToken?: string | undefined;
}

interface GlobalOptions {
  readonly url?: string;
  readonly token?: string;
  readonly json?: boolean;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly reason?: string;
  readonly commandId?: string;
}

/** The tools of every command. */
export class Context {
  readonly terminal: Terminal;
  readonly #defaults: () => Defaults;
  #hasFound = false;

  constructor(terminal: Terminal, defaults: () => Defaults) {
    this.terminal = terminal;
    this.#defaults = defaults;
  }

  /** The command worked, but what it found is not in order: exit code 1. */
  foundSomething(): void {
    this.#hasFound = true;
  }

  get hasFound(): boolean {
    return this.#hasFound;
  }

  /** Throws a fault of use if the address of the server is unknown. */
  url(command: Command): string {
    const url = optionsOf(command).url ?? this.#defaults().url;
    if (url === undefined) {
      throw usageFault('no server is known: start one here, or pass --url or set KIBBLE_URL');
    }
    if (!/^https?:/.test(url) || !URL.canParse(url)) throw usageFault(`--url is no URL: ${url}`);
    return url;
  }

  /** Throws a fault of use if the address or the token is unknown. */
  client(command: Command): OpsClient {
    const url = this.url(command);
    const { url: own, token: known, keptToken } = this.#defaults();
    const token = optionsOf(command).token ?? known ?? (url === own ? keptToken : undefined);
    if (token === undefined) throw usageFault('no token is known: pass --token or set KIBBLE_TOKEN');
    return opsClient({ url, token, signal: this.terminal.signal });
  }

  async words(command: Command): Promise<ModuleWords> {
    return wordsOf((await this.client(command).ask('modules')).modules, 'en');
  }

  isJson(command: Command): boolean {
    return optionsOf(command).json === true;
  }

  /** Prints a result: as JSON with `--json`, else as lines. */
  async show(
    command: Command,
    answer: unknown,
    lines: () => readonly string[] | Promise<readonly string[]>,
  ): Promise<void> {
    if (this.isJson(command)) this.terminal.say(JSON.stringify(answer));
    else for (const line of await lines()) this.terminal.say(visible(line));
  }

  /**
   * The fields of every write. Asks the operator for a confirmation. Without a terminal, a write that cannot be undone
   * needs `--yes`.
   */
  async write(command: Command, what: string, isFinal = false): Promise<OpsWrite> {
    const { yes, dryRun, commandId = this.terminal.uniqueName(), ...options } = optionsOf(command);
    const { reason = dryRun ? 'dry run' : undefined } = options;
    if (reason === undefined) throw usageFault('a write needs a reason: --reason "why"');
    if (reason.length < 3 || reason.length > 500) throw usageFault('--reason has 3 to 500 characters');
    if (!yes && !dryRun) await this.#confirm(what, isFinal);
    return { commandId, reason, ...(dryRun ? { dryRun } : {}) };
  }

  /** Asks the same question for a serious act; throws `refusal` without a terminal. */
  async agree(command: Command, what: string, refusal: CommandFault): Promise<void> {
    if (optionsOf(command).yes) return;
    if (!this.terminal.canAsk) throw refusal;
    await this.#ask(what);
  }

  async #confirm(what: string, isFinal: boolean): Promise<void> {
    if (this.terminal.canAsk) return this.#ask(what);
    if (isFinal) throw usageFault(`${what}: this cannot be taken back; pass --yes`);
  }

  async #ask(what: string): Promise<void> {
    const answer = await this.terminal.ask(`${what}? [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) throw usageFault('not done');
  }
}

const optionsOf = (command: Command): GlobalOptions => command.optsWithGlobals<GlobalOptions>();

export const readTextFile = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw usageFault(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
};

export const readJsonFile = (file: string): unknown => {
  const text = readTextFile(file);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw usageFault(`${file} is no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
};

/** `--items gold=5,boost=1`. */
export const parseItems = (text: string): Record<string, number> => {
  const entries = text.split(',').map((part) => /^([^=]+)=(\d{1,16})$/.exec(part.trim()));
  const items: Record<string, number> = {};
  for (const entry of entries) {
    const [, name, count] = entry ?? [];
    if (name === undefined || count === undefined) throw usageFault('--items reads name=count,name=count');
    if (Object.hasOwn(items, name)) throw usageFault(`--items names ${name} twice`);
    items[name] = Number(count);
  }
  return items;
};

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, min: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90s`, `-2h`, `1500ms`: whole milliseconds. */
export const durationOf = (text: string): number => {
  const [, sign = '', amount, unit = ''] = /^([+-]?)(\d+(?:\.\d+)?)(ms|s|min|m|h|d)$/.exec(text) ?? [];
  const exactMs = Number(amount) * (units[unit] ?? Number.NaN);
  const ms = Math.round(exactMs);
  // A product such as 2.3 h is off by a tiny fraction.
  if (!(Math.abs(ms - exactMs) < 1e-3))
    throw usageFault(`${text} is no duration: write 90s, 15min, 2h, 1d, 500ms, with - for sooner`);
  return sign === '-' ? -ms : ms;
};

export const wholeNumber = (text: string): number => {
  if (!/^\d{1,15}$/.test(text)) throw usageFault(`${text} is no whole number`);
  return Number(text);
};
