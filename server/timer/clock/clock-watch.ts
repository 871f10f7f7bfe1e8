import type { Clock } from '../../runtime/clock.ts';
import type { EngineLog } from '../../runtime/engine-log.ts';
import { type Throttle, throttle } from '../../runtime/throttle.ts';
import { type ClockGuard, type ClockState, JUMP_MS } from './clock-guard.ts';

const EVERY_MS = 1000;
/** Readings of two clocks that are further apart cannot be compared. */
const TOGETHER_MS = 500;
/** A process that has watched the database's clock for so long can vouch for it. */
const OLD_MS = 60_000;
const NOTE_EVERY_MS = 10_000;
const MOST_TRIES = 5;

/** `kibble.clock`: what an operator may do about the database's clock, on any process. */
export interface ClockCare {
  /** The state in this process. */
  state(): ClockState;
  /** Declares the database's clock right: all processes follow it within two seconds. Throws what the store throws. */
  accept(): Promise<void>;
}

interface Dependencies {
  readonly guard: ClockGuard;
  readonly record: ClockRecord;
  readonly witnesses: readonly ClockWitness[];
  readonly clock: Pick<Clock, 'monotonicMs' | 'after'>;
  readonly log: EngineLog;
}

/** Checks the database's clock once a second: does another clock agree after a jump, and what do other processes report? */
export class ClockWatch implements ClockCare {
  readonly #on: Dependencies;
  readonly #startedAtMs: number;
  readonly #isTimeToLog: Throttle;
  /** The distance of each witness from the database's clock, while the latter was trusted. */
  readonly #distances = new Map<string, number>();
  #hasVouched = false;
  /** Whether the record showed a hold when this process last read it, and this process held time too. */
  #isHoldKnown = false;
  #isReported = false;

  constructor(dependencies: Dependencies) {
    this.#on = dependencies;
    this.#startedAtMs = dependencies.clock.monotonicMs();
    this.#isTimeToLog = throttle(dependencies.clock);
  }

  /** Call it before any work uses the time: goes on from the time of earlier processes. Throws what the store throws. */
  async begin(): Promise<void> {
    const recorded = await this.#on.record.read();
    this.#adopt(recorded);
    await this.tick();
  }

  tick = async (): Promise<number> => {
    const { guard, record, witnesses, clock } = this.#on;
    const trust = guard.reading();
    const askedAtMs = clock.monotonicMs();
    const [recorded, ...shown] = await Promise.all([record.read(), ...witnesses.map((witness) => this.#ask(witness))]);
    const nowMs = trust(recorded.databaseMs);
    if (clock.monotonicMs() - askedAtMs <= TOGETHER_MS) this.#compare(recorded, nowMs, shown);
    await this.#share(recorded, guard.state.isHeld ? nowMs : recorded.databaseMs);
    this.#tell();
    return EVERY_MS;
  };

  state(): ClockState {
    return this.#on.guard.state;
  }

  async accept(): Promise<void> {
    const { record } = this.#on;
    let isNoted = false;
    // Processes that hold time write once a second by how much.
    for (let tries = 0; tries < MOST_TRIES && !isNoted; tries += 1) {
      const recorded = await record.read();
      isNoted = await record.note({ trustedAtMs: recorded.databaseMs, heldByMs: 0 }, recorded);
    }
    this.#hasVouched = true;
    this.#follow('operator');
    await this.tick();
  }

  /** While the clock is trusted: notes the distance of each witness. After a jump: checks whether the witnesses jumped too. */
  #compare({ databaseMs, isHere }: ClockRecorded, nowMs: number, shown: readonly (number | undefined)[]): void {
    const { guard, witnesses } = this.#on;
    const { isHeld } = guard.state;
    for (const [at, { name, isSettable }] of witnesses.entries()) {
      const witnessMs = shown[at];
      if (witnessMs === undefined) continue;
      const distanceMs = this.#distances.get(name);
      if (!isHeld || distanceMs === undefined) this.#distances.set(name, witnessMs - nowMs);
      else if (!(isHere && isSettable) && Math.abs(witnessMs - databaseMs - distanceMs) <= JUMP_MS) this.#follow(name);
    }
  }

  async #share(recorded: ClockRecorded, nowMs: number): Promise<void> {
    const { guard, record, clock } = this.#on;
    const { state } = guard;
    const isRecordedHeld = recorded.heldByMs !== 0;
    const note = (change: NotedTime): Promise<boolean> => record.note(change, recorded);
    if (state.isHeld) {
      // A process that saw no jump, or had a witness that agrees, has ended the hold, or an operator did.
      if (this.#isHoldKnown && !isRecordedHeld) return this.#follow('process');
      const isNoted = await note({ trustedAtMs: nowMs, heldByMs: state.byMs });
      this.#isHoldKnown = isRecordedHeld || isNoted;
      return;
    }
    this.#isHoldKnown = false;
    const isOld = this.#hasVouched || clock.monotonicMs() - this.#startedAtMs >= OLD_MS;
    if (isRecordedHeld && !isOld) return this.#adopt(recorded);
    const isStale = Math.abs(nowMs - recorded.trustedAtMs) >= NOTE_EVERY_MS;
    if (isRecordedHeld || isStale) await note({ trustedAtMs: nowMs, heldByMs: 0 });
  }

  /**
   * The clock may still be off by `heldByMs`, or may have been corrected. Takes the earlier of the two times, but none
   * before the time that was trusted already.
   */
  #adopt({ databaseMs, trustedAtMs, heldByMs }: ClockRecorded): void {
    const { guard } = this.#on;
    const possible = [databaseMs, databaseMs - heldByMs].filter((ms) => ms >= trustedAtMs - JUMP_MS);
    const nowMs = possible.length > 0 ? Math.min(...possible) : trustedAtMs;
    if (Math.abs(databaseMs - nowMs) > JUMP_MS) {
      guard.resume({ nowMs, databaseMs });
      // These distances come from a clock that other processes do not trust.
      this.#distances.clear();
    }
    this.#isHoldKnown = heldByMs !== 0;
  }

  #follow(reason: string): void {
    const { guard } = this.#on;
    const { state } = guard;
    if (!state.isHeld) return;
    guard.accept();
    this.#hasVouched = true;
    this.#distances.clear();
    this.#isHoldKnown = false;
    this.#reportEnd(reason, state.byMs);
  }

  #tell(): void {
    const { guard, log } = this.#on;
    const { state } = guard;
    if (!state.isHeld) {
      if (this.#isReported) this.#reportEnd('put right', 0);
    } else if (!this.#isReported && this.#isTimeToLog('held')) {
      this.#isReported = true;
      log.warn({ code: 'clock/held', byMs: state.byMs }, HELD);
    }
  }

  #reportEnd(reason: string, byMs: number): void {
    this.#isReported = false;
    this.#on.log.info({ code: 'clock/followed', reason, byMs }, FOLLOWED);
  }

  /** Undefined if the witness does not respond in time. */
  #ask({ read }: ClockWitness): Promise<number | undefined> {
    return new Promise((resolve) => {
      const cancel = this.#on.clock.after(TOGETHER_MS, () => resolve(undefined));
      Promise.resolve()
        .then(read)
        .catch(() => undefined)
        .then((shown) => {
          cancel();
          resolve(shown);
        });
    });
  }
}

const FOLLOWED = 'the time follows the database’s clock';
const HELD =
  'the database’s clock jumped: time is held, and goes on without it, until another clock agrees, it is put right, or an operator accepts it';

/** One record per database, through which its processes share what they know about its clock. */
export interface ClockRecord {
  read(): Promise<ClockRecorded>;
  /** Writes unless another process has changed `heldByMs` since `seen` was read; returns whether it wrote. */
  note(change: NotedTime, seen: NotedTime): Promise<boolean>;
}

export interface NotedTime {
  /** The newest trusted time of any process, a few seconds old; 0: none yet. */
  readonly trustedAtMs: number;
  /** How far the database's clock is ahead of held time; 0: no process holds time. */
  readonly heldByMs: number;
}

export interface ClockRecorded extends NotedTime {
  /** The reading of the database's clock, trusted or not. */
  readonly databaseMs: number;
  /** Whether the database runs on this machine, judged by its address: then both share one clock. */
  readonly isHere: boolean;
}

/** A clock besides the database's. Only its progress matters, not its reading. */
export interface ClockWitness {
  readonly name: string;
  /** Whether an operator or NTP may set it together with the database's: on one machine it is the same clock. */
  readonly isSettable: boolean;
  /** Milliseconds. May throw: then it is no witness. */
  read(): number | Promise<number>;
}
