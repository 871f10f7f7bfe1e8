import type { Timer } from '../../../timer/model/timer.ts';
import type { HomeHold, ThingRows, TimersAt } from '../../../timer/model/timer-store.ts';
import { PostgresKindStore } from './kind-store.ts';
import type { TimerStatements } from './timer-statements.ts';

/** Timers that are rows of things, in Postgres (`ThingRows`). */
export class PostgresThingRows extends PostgresKindStore implements ThingRows {
  readonly #statements: TimerStatements;

  constructor(statements: TimerStatements) {
    super(statements);
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
      this.#statements.datedMs(),
    ]);
  }

  async release(owners: readonly string[]): Promise<void> {
    await this.#statements.run('release', [owners]);
  }

  async listStuck(limit: number): Promise<readonly Timer[]> {
    return this.#statements.timers('listStuck', [limit]);
  }
}
