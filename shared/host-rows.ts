import type { RefusalCode } from './result.ts';

/** An open transaction of Postgres: a client of `pg` is one. */
export interface Sql {
  /** The caller states with `Row` what it knows of the columns; it is not checked. */
  query<Row extends object = Record<string, unknown>>(
    text: string,
    values?: unknown[],
  ): Promise<{ rows: Row[]; rowCount: number | null }>;
}

/**
 * Thrown in `inTransaction` for a player with rows that cannot follow the events. The command that led to it is refused
 * with the code; if settling alone led to it, the home stands still. All other players of the batch are saved.
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
