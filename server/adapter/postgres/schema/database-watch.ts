import { isA, textAt, textOf } from '../../../../shared/game-code.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { EngineLog } from '../../../runtime/engine-log.ts';
import { Loop } from '../../../runtime/loop.ts';
import { type Throttle, throttle } from '../../../runtime/throttle.ts';
import { onFault, retire } from '../checkout.ts';
import type { Database } from '../database.ts';
import { query, type Statement } from '../statement.ts';
import { ALONE, migrations, tables } from './migrations.ts';

interface Dependencies {
  readonly database: Pick<Database, 'pool' | 'schema'>;
  readonly clock: Clock;
  readonly log: EngineLog;
}

interface Found {
  readonly is_read_only: boolean;
  readonly is_missing: boolean;
  readonly is_forbidden: boolean;
  readonly newer: string | null;
}

const EVERY_MS = 1_000;
/** With the pause before it, silence is noticed within 5 s. */
const SILENT_MS = 4_000;
/** A probe writes nothing, so it succeeds on a full disk. So a refused write counts as trouble for this long. */
const HOLD_MS = 10_000;
const NO_ROOM = /^(53[124]|58)/;

/**
 * Checks once a second what each command needs: a connection of the pool, a Postgres that responds and accepts changes,
 * our tables in the version of this process. Reading `trouble` costs nothing.
 */
export class DatabaseWatch {
  readonly #on: Dependencies;
  readonly #probe: Statement;
  readonly #loop: Loop;
  readonly #limit: Throttle;
  #noRoomAtMs = Number.NEGATIVE_INFINITY;
  #trouble: string | undefined;
  #unsubscribe: (() => void) | undefined;

  constructor(dependencies: Dependencies) {
    const { clock, log, database } = dependencies;
    this.#on = dependencies;
    this.#probe = probeOf(database.schema);
    this.#loop = new Loop({ name: 'watch the database', clock, log, tick: this.#tick });
    this.#limit = throttle(clock);
  }

  /** Why no command can be accepted; undefined if all is well. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  start(): void {
    this.#unsubscribe = onFault(this.#on.database.pool, this.#noteNoRoom);
    this.#loop.start();
  }

  /** Does not wait for a Postgres that is silent. */
  stop(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    void this.#loop.stop();
  }

  readonly #noteNoRoom = (error: unknown): void => {
    const code = codeOf(error);
    if (!NO_ROOM.test(code)) return;
    this.#noRoomAtMs = this.#on.clock.monotonicMs();
    this.#report(code, error);
  };

  readonly #tick = async (): Promise<number> => {
    const { database, clock } = this.#on;
    const cancel = clock.after(SILENT_MS, () =>
      this.#report('silent', `neither the pool nor Postgres has responded for ${SILENT_MS / 1000} s`),
    );
    try {
      const [found] = await query<Found>(database.pool, this.#probe);
      if (found?.is_read_only) retire(database.pool);
      const unfit = found ? unfitOf(found) : 'the table epoch is empty';
      if (unfit) this.#report(unfit, unfit);
      else if (clock.monotonicMs() - this.#noRoomAtMs >= HOLD_MS) this.#recover();
    } catch (error) {
      this.#report(codeOf(error), error);
    }
    cancel();
    return EVERY_MS;
  };

  #report(name: string, reason: unknown): void {
    if (!this.#unsubscribe) return;
    this.#trouble = typeof reason === 'string' ? reason : textOf(reason);
    const line = this.#limit(name);
    if (!line) return;
    const { totalCount: open, idleCount: idle, waitingCount: waiting } = this.#on.database.pool;
    this.#on.log.error(
      { reason: this.#trouble, connections: { open, idle, waiting }, leftOut: line.leftOut },
      'no command can be accepted',
    );
  }

  #recover(): void {
    if (this.#trouble) this.#on.log.info({ reason: this.#trouble }, 'commands can be accepted again');
    this.#trouble = undefined;
  }
}

const unfitOf = ({ is_read_only, is_missing, is_forbidden, newer }: Found): string | undefined => {
  if (is_read_only) return 'Postgres takes no changes: it is a standby, or default_transaction_read_only is on';
  if (is_missing) return 'tables are missing: restore them, or start again';
  if (is_forbidden) return 'this role may not write the events any more';
  return newer === null
    ? undefined
    : `a newer version has migrated the schema (${newer}), beside which this one cannot run: start that version`;
};

const codeOf = (error: unknown): string =>
  isA(error, Error) ? (textAt(error, 'code') ?? textAt(error, 'name') ?? '') : '';

const probeOf = (schema: string): Statement => ({
  name: `${schema}.probe`,
  text: `select current_setting('transaction_read_only') = 'on' as is_read_only,
      exists (select from unnest($1::text[]) t(name) where to_regclass(name) is null) as is_missing,
      not has_table_privilege('"${schema}".event', 'insert') as is_forbidden,
      (select name from "${schema}".migration where name like '${ALONE}%' and timestamp >
        (select max(timestamp) from "${schema}".migration where name = any($2)) limit 1) as newer
    from "${schema}".epoch`,
  values: [tables.map((table) => `"${schema}".${table}`), migrations.map(({ name }) => name)],
});
