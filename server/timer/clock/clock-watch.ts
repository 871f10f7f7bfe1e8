import type { Clock } from '../../runtime/clock.ts';
import type { EngineLog } from '../../runtime/engine-log.ts';
import { type Throttle, throttle } from '../../runtime/throttle.ts';
import { type ClockGuard, type ClockState, JUMP_MS } from './clock-guard.ts';

const EVERY_MS = 1000;
/** Clocks that were read further apart say nothing about each other. */
const TOGETHER_MS = 500;
/** From then on a process has seen enough of the database's clock to vouch for it. */
const OLD_MS = 60_000;
const NOTE_EVERY_MS = 10_000;
const MOST_TRIES = 5;

/** `kibble.clock`: what an operator may ask about the database's clock, on any process. */
export interface ClockCare {
  /** As this process sees it. */
  state(): ClockState;
  /** The database's clock is right as it stands: all processes follow it within two seconds. Throws what the store throws. */
  accept(): Promise<void>;
}

interface Dependencies {
  readonly guard: ClockGuard;
  readonly record: ClockRecord;
  readonly witnesses: readonly ClockWitness[];
  readonly clock: Pick<Clock, 'monotonicMs' | 'after'>;
  readonly log: EngineLog;
}

/** Looks at the database's clock once a second: whether another clock agrees after a jump, and what other processes say. */
export class ClockWatch implements ClockCare {
  readonly #dependencies: Dependencies;
  readonly #startedAtMs: number;
  readonly #isTimeToTell: Throttle;
  /** How far each witness is from the database's clock, as long as that was trusted. */
  readonly #distances = new Map<string, number>();
  #hasVouched = false;
  /** Whether the record said that time is held when this process last looked, and this process held it too. */
  #isHoldKnown = false;
  #isReported = false;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.#startedAtMs = dependencies.clock.monotonicMs();
    this.#isTimeToTell = throttle(dependencies.clock);
  }

  /** Before anything works with the time: goes on where the processes before stood. Throws what the store throws. */
  async begin(): Promise<void> {
    const recorded = await this.#dependencies.record.read();
    this.#adopt(recorded);
    await this.tick();
  }

  tick = async (): Promise<number> => {
    const { guard, record, witnesses, clock } = this.#dependencies;
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
    return this.#dependencies.guard.state;
  }

  async accept(): Promise<void> {
    const { record } = this.#dependencies;
    let isNoted = false;
    // Those that hold the time write how much by, once a second.
    for (let tries = 0; tries < MOST_TRIES && !isNoted; tries += 1) {
      const recorded = await record.read();
      isNoted = await record.note({ trustedAtMs: recorded.databaseMs, heldByMs: 0 }, recorded);
    }
    this.#hasVouched = true;
    this.#follow('operator');
    await this.tick();
  }

  /** While the clock is trusted it shows how far the witnesses are; after a jump they tell whether it came along with them. */
  #compare({ databaseMs, isHere }: ClockRecorded, nowMs: number, shown: readonly (number | undefined)[]): void {
    const { guard, witnesses } = this.#dependencies;
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
    const { guard, record, clock } = this.#dependencies;
    const { state } = guard;
    const isRecordedHeld = recorded.heldByMs !== 0;
    const note = (change: NotedTime): Promise<boolean> => record.note(change, recorded);
    if (state.isHeld) {
      // Somebody whose own clock saw no jump, or who met one that agrees, or an operator.
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
   * The clock may still be off by `heldByMs`, or may have been corrected. We take the earlier of the two times, but nothing
   * before what was trusted already.
   */
  #adopt({ databaseMs, trustedAtMs, heldByMs }: ClockRecorded): void {
    const { guard } = this.#dependencies;
    const possible = [databaseMs, databaseMs - heldByMs].filter((ms) => ms >= trustedAtMs - JUMP_MS);
    const nowMs = possible.length > 0 ? Math.min(...possible) : trustedAtMs;
    if (Math.abs(databaseMs - nowMs) > JUMP_MS) {
      guard.resume({ nowMs, databaseMs });
      // Taken from a clock that others do not trust.
      this.#distances.clear();
    }
    this.#isHoldKnown = heldByMs !== 0;
  }

  #follow(reason: string): void {
    const { guard } = this.#dependencies;
    const { state } = guard;
    if (!state.isHeld) return;
    guard.accept();
    this.#hasVouched = true;
    this.#distances.clear();
    this.#isHoldKnown = false;
    this.#reportEnd(reason, state.byMs);
  }

  #tell(): void {
    const { guard, log } = this.#dependencies;
    const { state } = guard;
    if (!state.isHeld) {
      if (this.#isReported) this.#reportEnd('put right', 0);
    } else if (!this.#isReported && this.#isTimeToTell('held')) {
      this.#isReported = true;
      log.warn({ code: 'clock/held', byMs: state.byMs }, HELD);
    }
  }

  #reportEnd(reason: string, byMs: number): void {
    this.#isReported = false;
    this.#dependencies.log.info({ code: 'clock/followed', reason, byMs }, FOLLOWED);
  }

  /** Undefined when it does not respond in time. */
  #ask({ read }: ClockWitness): Promise<number | undefined> {
    return new Promise((resolve) => {
      const cancel = this.#dependencies.clock.after(TOGETHER_MS, () => resolve(undefined));
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

/** What the processes of a database tell each other about its clock: one record. */
export interface ClockRecord {
  read(): Promise<ClockRecorded>;
  /** Writes unless another process has changed `heldByMs` from what it was `seen` as; returns whether it did. */
  note(change: NotedTime, seen: NotedTime): Promise<boolean>;
}

export interface NotedTime {
  /** The newest time that somebody trusted, a few seconds old; 0: none yet. */
  readonly trustedAtMs: number;
  /** What the database's clock shows beyond the held time; 0: nobody holds it. */
  readonly heldByMs: number;
}

export interface ClockRecorded extends NotedTime {
  /** What the database's clock shows, whatever that is worth. */
  readonly databaseMs: number;
  /** Whether the database runs on this machine, as far as its address says: then their clocks are one. */
  readonly isHere: boolean;
}

/** A clock besides the database's. What it shows does not matter, only how far it has come. */
export interface ClockWitness {
  readonly name: string;
  /** Whether an operator or NTP may set it, as they may the database's: on one machine it is the same clock. */
  readonly isSettable: boolean;
  /** Milliseconds. May throw: then it says nothing. */
  read(): number | Promise<number>;
}
