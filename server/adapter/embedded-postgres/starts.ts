import { readFileSync, statSync } from 'node:fs';
import { isAlive, type Postmaster, removeUnfinishedPidFile } from './postmaster.ts';

interface Options {
  readonly clusterDir: string;
  readonly logFile: string;
  log(line: string): void;
  start(): Promise<Postmaster>;
}

/** A lost race for the port or folder ends Postgres once; a real fault ends it every time. */
const maxFailures = 3;
/** While an old Postgres still has the folder, each start ends at once, so it starts only once in 250 ms. */
const pollsBetweenStarts = 25;

/** Starts Postgres on one folder until it stays up. */
export class Starts {
  readonly #on: Options;
  readonly #tail: LogTail;
  #started: Postmaster | undefined;
  #failures = 0;
  #pollsToWait = 0;
  #isWaiting = false;

  constructor(options: Options) {
    this.#on = options;
    this.#tail = new LogTail(options.logFile);
  }

  get isHopeless(): boolean {
    return this.#failures === maxFailures;
  }

  get complaint(): string {
    return `Postgres did not come up: ${this.#tail.fault() ?? 'it said nothing'} (more in ${this.#on.logFile})`;
  }

  /** After a poll found no Postgres: starts one, unless the last may still come up or an old one is still ending. */
  async again(): Promise<void> {
    if (this.#started && isAlive(this.#started.pid)) return;
    if (this.#started) this.#conclude();
    if (this.isHopeless) return;
    this.#pollsToWait -= 1;
    if (this.#pollsToWait > 0) return;
    this.#tail.begin();
    this.#started = await this.#on.start();
  }

  /** The last start ended before Postgres came up. */
  #conclude(): void {
    this.#started = undefined;
    this.#pollsToWait = 0;
    if (!this.#tail.isFolderInUse()) {
      this.#failures += 1;
      // A pid file is written within milliseconds, but this one was unfinished during two starts.
      if (this.#failures === maxFailures - 1) removeUnfinishedPidFile(this.#on.clusterDir);
      return;
    }
    this.#pollsToWait = pollsBetweenStarts;
    if (!this.#isWaiting) this.#on.log('waiting for the Postgres that is still ending on the data folder');
    this.#isWaiting = true;
  }
}

/** The log lines of the last start of Postgres. */
export class LogTail {
  readonly #file: string;
  #from = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** Marks the present end of the log. Call it before the start. */
  begin(): void {
    this.#from = statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** Why Postgres ended: its last fatal line, else its last line. The line after the fatal one only says that it ended. */
  fault(): string | undefined {
    const lines = this.#read().trim().split('\n');
    return lines.findLast((line) => /\b(FATAL|PANIC):/.test(line)) ?? (lines.at(-1) || undefined);
  }

  /** Whether an old Postgres still has the folder. Postgres runs with `LC_ALL=C`, so its messages are in English. */
  isFolderInUse(): boolean {
    return /lock file ".*" already exists|shared memory block .* is still in use/.test(this.#read());
  }

  #read(): string {
    try {
      const bytes = readFileSync(this.#file);
      // A log that became too large was begun anew.
      return bytes.subarray(this.#from > bytes.length ? 0 : this.#from).toString('utf8');
    } catch {
      return '';
    }
  }
}
