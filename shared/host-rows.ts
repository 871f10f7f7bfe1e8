import type { RefusalCode } from './result.ts';

/** An open transaction of Postgres: a client of `pg` is one. */
export interface Sql {
  /** `Row` is what the caller knows of the columns; nothing checks it. */
  query<Row extends object = Record<string, unknown>>(
    text: string,
    values?: unknown[],
  ): Promise<{ rows: Row[]; rowCount: number | null }>;
}

/**
 * Thrown in `inTransaction` for a player whose rows can't be as the events say. A command that led to it is refused with
 * the code; where settling alone leads to it, the home stands still. All others in the batch are saved.
 */
export class RefusedByHost extends Error {
  readonly playerId: string;
  readonly code: RefusalCode;
  readonly params: Readonly<Record<string, unknown>>;

  constructor(playerId: string, code: RefusalCode, params: Readonly<Record<string, unknown>> = {}) {
    super(`${playerId}: ${code} ${JSON.stringify(params)}`);
    this.name = 'RefusedByHost';
    this.playerId = playerId;
    this.code = code;
    this.params = params;
  }
}
