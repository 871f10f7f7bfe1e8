import { readFileSync, statSync } from 'node:fs';
import { isAlive, type Postmaster, removeUnfinishedPidFile } from './postmaster.ts';

interface Options {
  readonly clusterDir: string;
  readonly logFile: string;
  log(line: string): void;
  start(): Promise<Postmaster>;
}

/** A lost race for the port or for the folder ends Postgres at once; a fault would do so every time. */
const maxFailures = 3;
/** While an old Postgres lets go of the folder each start is a process that ends at once: one in 250 ms. */
const pollsBetweenStarts = 25;

/** The starts of Postgres on one folder, until one of them stays. */
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

  /** For a look that found no Postgres: starts one, unless the last one may still come up, or an old one is still ending. */
  async again(): Promise<void> {
    if (this.#started && isAlive(this.#started.pid)) return;
    if (this.#started) this.#conclude();
    if (this.isHopeless) return;
    this.#pollsToWait -= 1;
    if (this.#pollsToWait > 0) return;
    this.#tail.begin();
    this.#started = await this.#on.start();
  }

  /** The last start ended before it came up. */
  #conclude(): void {
    this.#started = undefined;
    this.#pollsToWait = 0;
    if (!this.#tail.saysThatTheFolderIsTaken()) {
      this.#failures += 1;
      // One that is being written is finished within milliseconds; this one was there for two starts.
      if (this.#failures === maxFailures - 1) removeUnfinishedPidFile(this.#on.clusterDir);
      return;
    }
    this.#pollsToWait = pollsBetweenStarts;
    if (!this.#isWaiting) this.#on.log('waiting for the Postgres that is still ending on the data folder');
    this.#isWaiting = true;
  }
}

/** What the last start of Postgres wrote into its log. */
export class LogTail {
  readonly #file: string;
  #from = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** From here on. Call it before the start. */
  begin(): void {
    this.#from = statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** Why Postgres ended: its last fatal line, else its last line. The very last one says only that it did. */
  fault(): string | undefined {
    const lines = this.#read().trim().split('\n');
    return lines.findLast((line) => /\b(FATAL|PANIC):/.test(line)) ?? (lines.at(-1) || undefined);
  }

  /** An old Postgres has not let go of the folder yet. Postgres runs with `LC_ALL=C`, so these are its words. */
  saysThatTheFolderIsTaken(): boolean {
    return /lock file ".*" already exists|shared memory block .* is still in use/.test(this.#read());
  }

  #read(): string {
    try {
      const bytes = readFileSync(this.#file);
      // A log that was too large began anew.
      return bytes.subarray(this.#from > bytes.length ? 0 : this.#from).toString('utf8');
    } catch {
      return '';
    }
  }
}
