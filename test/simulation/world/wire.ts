import type { Kernel } from './kernel.ts';
import type { SimProcess } from './sim-process.ts';

/** What goes wrong, in how many of a hundred calls. */
export interface Weather {
  /** Refused on the way: nothing was done. */
  readonly refused: number;
  /** Done, but the caller does not learn it. */
  readonly answerLost: number;
  /** Done twice, as by a driver that sends again. */
  readonly doubled: number;
  /** Takes up to six seconds. */
  readonly slow: number;
}

/** What befalls one call, counted over all wires of a world from 1 on. */
export interface Fate {
  readonly call: number;
  /** Its process dies before it is sent; or when it is done, without having heard of that; or only the answer gets lost. */
  readonly how: 'dies before' | 'dies after' | 'answer lost';
}

/** The calls of a world, with what befell them. */
export class Calls {
  readonly #fate: Fate | undefined;
  readonly #strike: (process: SimProcess) => void;
  /** So far. */
  count = 0;
  /** Done twice. */
  doubled = 0;
  /** Commits that were done, and whose answer was lost. */
  lostCommits = 0;
  /** When the last slow message arrived or will arrive; before that its fault is not over. */
  slowUntilMs = Number.NEGATIVE_INFINITY;
  /** What the struck call asked; undefined while there was none. */
  struck: string | undefined;

  constructor(fate?: Fate, strike: (process: SimProcess) => void = () => undefined) {
    this.#fate = fate;
    this.#strike = strike;
  }

  /** Counts a call, and answers what befalls it. */
  next(what: string): Fate['how'] | undefined {
    this.count += 1;
    if (this.count !== this.#fate?.call) return undefined;
    this.struck = what;
    return this.#fate.how;
  }

  strike(process: SimProcess): void {
    this.#strike(process);
  }
}

export const fair: Weather = { refused: 0, answerLost: 0, doubled: 0, slow: 0 };

const SLOW_MS = 6000;
/** How long a driver waits for a server that is away before it says so. */
const AWAY_MS = 20;

/** Homes, timers, and transactions of the game. */
const isCommit = (what: string): boolean => what === 'save' || what === 'save timers' || what === 'commit';

/** The connection was lost: whether anything was done is not known to the caller. */
export class WireLost extends Error {
  override readonly name = 'WireLost';
}

interface Dependencies {
  readonly kernel: Kernel;
  readonly name: string;
  /** How long a message is usually on its way, at most. */
  readonly usualMs?: number;
  /** Shared with the other wires of the world. */
  readonly calls?: Calls;
}

/** The way from processes to one store, with everything that may happen on it. */
export class Wire {
  readonly #kernel: Kernel;
  readonly #name: string;
  readonly #usualMs: number;
  readonly #calls: Calls;
  weather: Weather = fair;
  isDown = false;

  constructor({ kernel, name, usualMs = 3, calls = new Calls() }: Dependencies) {
    this.#usualMs = usualMs;
    this.#calls = calls;
    this.#kernel = kernel;
    this.#name = name;
  }

  /**
   * Throws `WireLost`, and what `apply` throws. `apply` runs at one instant, or takes its own time on the server. The
   * answer gets lost by chance, or for certain.
   */
  ask<T>(process: SimProcess, what: string, apply: () => T | Promise<T>, isAnswerLost = false): Promise<T> {
    const { random } = this.#kernel;
    const answered = process.asks(what);
    return new Promise<T>((resolve, reject) => {
      const answer = (how: () => void): void => void process.after(this.#flightMs(), how);
      const lose = (): void => answer(() => reject(new WireLost(`${this.#name}: ${what}`)));
      if (this.isDown || random.percent(this.weather.refused)) {
        process.after(AWAY_MS, () => reject(new WireLost(`${this.#name}: ${what}`)));
        return;
      }
      const fate = this.#calls.next(what);
      const isLost = random.percent(this.weather.answerLost) || fate === 'answer lost' || isAnswerLost;
      const isDoubled = random.percent(this.weather.doubled);
      if (isLost && isCommit(what)) this.#calls.lostCommits += 1;
      if (isDoubled) this.#calls.doubled += 1;
      if (fate === 'dies before') return this.#calls.strike(process);
      // The request is on its way, whatever becomes of its sender.
      this.#kernel.after(this.#flightMs(), () => {
        if (this.isDown) return lose();
        this.#kernel.note(`${process.name} ${what}`);
        if (isDoubled) this.#kernel.after(this.#flightMs(), () => void Promise.resolve(attempt(apply)).catch(ignore));
        const done = attempt(apply);
        if (fate === 'dies after') done.catch(ignore).then(() => this.#calls.strike(process));
        done.then(
          (value) => (isLost ? lose() : answer(() => resolve(value))),
          (error: unknown) => (isLost ? lose() : answer(() => reject(error))),
        );
      });
    }).finally(answered);
  }

  #flightMs(): number {
    const { random } = this.#kernel;
    if (!random.percent(this.weather.slow)) return random.next() * this.#usualMs;
    const flightMs = random.next() * SLOW_MS;
    this.#calls.slowUntilMs = Math.max(this.#calls.slowUntilMs, this.#kernel.nowMs + flightMs);
    return flightMs;
  }
}

const attempt = async <T>(apply: () => T | Promise<T>): Promise<T> => apply();

const ignore = (): void => undefined;
