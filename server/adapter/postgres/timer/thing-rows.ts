import type { RegisteredKind, Timer } from '../../../timer/model/timer.ts';
import type { HomeHold, KindStore, ThingRows, TimersAt, Tx } from '../../../timer/model/timer-store.ts';
import type { TimerStatements } from './timer-statements.ts';

/** Kinds, and timers that are rows of things, in Postgres (`KindStore`, `ThingRows`). */
export class PostgresThingRows implements KindStore, ThingRows {
  readonly #statements: TimerStatements;

  constructor(statements: TimerStatements) {
    this.#statements = statements;
  }

  stillDue(seen: readonly Timer[]): Promise<TimersAt> {
    return this.#statements.unchanged('stillDue', seen);
  }

  async hold(holds: readonly HomeHold[]): Promise<void> {
    await this.#statements.run('hold', [
      holds.map(({ owner }) => owner),
      holds.map(({ untilMs }) => untilMs),
      holds.map(({ attempt }) => attempt),
      holds.map(({ lastError }) => lastError ?? null),
      this.#statements.database.datedMs(),
    ]);
  }

  async release(owners: readonly string[]): Promise<void> {
    await this.#statements.run('release', [owners]);
  }

  async listStuck(limit: number): Promise<readonly Timer[]> {
    return this.#statements.timers('listStuck', [limit]);
  }

  async registerKinds(kinds: readonly RegisteredKind[]): Promise<void> {
    const columns = [
      kinds.map(({ kind }) => kind),
      kinds.map(({ retentionMs }) => retentionMs ?? null),
      kinds.map(({ module }) => module ?? null),
      kinds.map(({ isRetired = false }) => isRetired),
    ];
    await this.#statements.run('registerKinds', [...columns, this.#statements.database.datedMs()]);
  }

  async registeredKinds(tx?: Tx): Promise<ReadonlyMap<string, boolean>> {
    const rows = await this.#statements.rows<{ kind: string; is_derived: boolean }>('registeredKinds', [], tx);
    return new Map(rows.map(({ kind, is_derived }) => [kind, is_derived]));
  }

  async retentions(): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#statements.rows<{ kind: string; retention_ms: string }>('retentions', []);
    return new Map(rows.map(({ kind, retention_ms }) => [kind, Number(retention_ms)]));
  }

  async setPaused(kind: string, isPaused: boolean, tx?: Tx): Promise<void> {
    await (isPaused
      ? this.#statements.run('pause', [kind, this.#statements.database.datedMs()], tx)
      : this.#statements.run('resume', [kind], tx));
  }

  async pausedKinds(tx?: Tx): Promise<ReadonlySet<string>> {
    return new Set((await this.#statements.rows<{ kind: string }>('paused', [], tx)).map(({ kind }) => kind));
  }
}
