import { LogTail } from './log-tail.ts';
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
const looksBetweenStarts = 25;

/** The starts of Postgres on one folder, until one of them stays. */
export class Starts {
  readonly #options: Options;
  readonly #tail: LogTail;
  #started: Postmaster | undefined;
  #failures = 0;
  #looksToWait = 0;
  #isWaiting = false;

  constructor(options: Options) {
    this.#options = options;
    this.#tail = new LogTail(options.logFile);
  }

  get isHopeless(): boolean {
    return this.#failures === maxFailures;
  }

  get complaint(): string {
    return `Postgres did not come up: ${this.#tail.fault() ?? 'it said nothing'} (more in ${this.#options.logFile})`;
  }

  /** For a look that found no Postgres: starts one, unless the last one may still come up, or an old one is still ending. */
  async again(): Promise<void> {
    if (this.#started && isAlive(this.#started.pid)) return;
    if (this.#started) this.#conclude();
    if (this.isHopeless) return;
    this.#looksToWait -= 1;
    if (this.#looksToWait > 0) return;
    this.#tail.begin();
    this.#started = await this.#options.start();
  }

  /** The last start ended before it came up. */
  #conclude(): void {
    this.#started = undefined;
    this.#looksToWait = 0;
    if (!this.#tail.saysThatTheFolderIsTaken()) {
      this.#failures += 1;
      // One that is being written is finished within milliseconds; this one was there for two starts.
      if (this.#failures === maxFailures - 1) removeUnfinishedPidFile(this.#options.clusterDir);
      return;
    }
    this.#looksToWait = looksBetweenStarts;
    if (!this.#isWaiting) this.#options.log('waiting for the Postgres that is still ending on the data folder');
    this.#isWaiting = true;
  }
}
