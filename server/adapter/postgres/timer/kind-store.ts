import type { RegisteredKind } from '../../../timer/model/timer.ts';
import type { KindStore, Tx } from '../../../timer/model/timer-store.ts';
import type { TimerStatements } from './timer-statements.ts';

/** The kinds in Postgres (`KindStore`). */
export class PostgresKindStore implements KindStore {
  readonly #statements: TimerStatements;

  constructor(statements: TimerStatements) {
    this.#statements = statements;
  }

  async registerKinds(kinds: readonly RegisteredKind[]): Promise<void> {
    const columns = [
      kinds.map(({ kind }) => kind),
      kinds.map(({ retentionMs }) => retentionMs ?? null),
      kinds.map(({ module }) => module ?? null),
      kinds.map(({ isRetired = false }) => isRetired),
    ];
    await this.#statements.run('registerKinds', [...columns, this.#statements.datedMs()]);
  }

  async registeredKinds(tx?: Tx): Promise<ReadonlySet<string>> {
    return new Set((await this.#statements.rows<{ kind: string }>('registeredKinds', [], tx)).map(({ kind }) => kind));
  }

  async retentions(): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#statements.rows<{ kind: string; retention_ms: string }>('retentions', []);
    return new Map(rows.map(({ kind, retention_ms }) => [kind, Number(retention_ms)]));
  }

  async setPaused(kind: string, isPaused: boolean, tx?: Tx): Promise<void> {
    await (isPaused
      ? this.#statements.run('pause', [kind, this.#statements.datedMs()], tx)
      : this.#statements.run('resume', [kind], tx));
  }

  async pausedKinds(tx?: Tx): Promise<ReadonlySet<string>> {
    return new Set((await this.#statements.rows<{ kind: string }>('paused', [], tx)).map(({ kind }) => kind));
  }
}
