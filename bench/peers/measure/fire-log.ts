import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { systemClock } from '../../../server/adapter/machine/system-clock.ts';
import { Coalescer } from '../../../server/runtime/coalescer.ts';
import { epochClock } from '../../timers/lateness-log.ts';
import type { Fires } from './timer-system.ts';

const POLL_MS = 20;

/** The times at which timers fired, in epoch ms with fractions. */
export class FireLog implements Fires {
  readonly #effects: Pick<Effects, 'add'>;
  #epochMs = epochClock();
  #beganAtMs = new Map<number, number[]>();
  #committedAtMs = new Map<number, number>();

  constructor(effects: Pick<Effects, 'add'>) {
    this.#effects = effects;
  }

  nowMs(): number {
    return this.#epochMs();
  }

  async handle(ids: readonly number[]): Promise<void> {
    this.began(ids);
    await this.#effects.add(ids);
    this.committed(ids);
  }

  began(ids: readonly number[]): void {
    const nowMs = this.nowMs();
    for (const id of ids) {
      const known = this.#beganAtMs.get(id);
      if (known === undefined) this.#beganAtMs.set(id, [nowMs]);
      else known.push(nowMs);
    }
  }

  committed(ids: readonly number[]): void {
    const nowMs = this.nowMs();
    for (const id of ids) if (!this.#committedAtMs.has(id)) this.#committedAtMs.set(id, nowMs);
  }

  /** All times at which a handler began for it. */
  firesOf(id: number): readonly number[] {
    return this.#beganAtMs.get(id) ?? [];
  }

  /** When its first effect was durable. */
  committedAtMs(id: number): number | undefined {
    return this.#committedAtMs.get(id);
  }

  /** Call it before a phase. */
  forget(): void {
    this.#epochMs = epochClock();
    this.#beganAtMs = new Map();
    this.#committedAtMs = new Map();
  }

  /** Waits until so many timers have their effect, or until then. */
  async waitFor(count: number, giveUpAtMs: number): Promise<void> {
    while (this.#committedAtMs.size < count && this.nowMs() < giveUpAtMs) await sleep(POLL_MS);
  }

  /** Waits until each of them has begun, or until then. */
  async waitForEach(ids: readonly number[], giveUpAtMs: number): Promise<void> {
    const isMissing = (id: number): boolean => !this.#beganAtMs.has(id);
    while (ids.some(isMissing) && this.nowMs() < giveUpAtMs) await sleep(POLL_MS);
  }

  /** Waits until nothing has fired for so long. */
  async waitForQuiet(quietMs: number, giveUpAtMs: number): Promise<void> {
    for (let seen = -1; seen !== this.#count() && this.nowMs() < giveUpAtMs; ) {
      seen = this.#count();
      await sleep(quietMs);
    }
  }

  #count(): number {
    let sum = 0;
    for (const fires of this.#beganAtMs.values()) sum += fires.length;
    return sum;
  }
}

const BATCH_LIMIT = 2_000;

/**
 * The durable effect of a fire, a row in Postgres, for systems that leave effects to the handler. Concurrent handlers
 * share a statement and a commit: the best case.
 */
export class Effects {
  readonly #coalescer: Coalescer<number, number>;

  constructor(pool: Pool) {
    const run = async (ids: readonly number[]): Promise<readonly number[]> => {
      const text = 'insert into effect select unnest($1::bigint[]), $2';
      await pool.query({ name: 'effect', text, values: [ids, Date.now()] });
      return ids;
    };
    this.#coalescer = new Coalescer({
      run,
      nameOf: String,
      isOfOne: () => false,
      limit: BATCH_LIMIT,
      after: systemClock.after,
    });
  }

  async add(ids: readonly number[]): Promise<void> {
    await this.#coalescer.add(ids);
  }
}
