import type { Pool } from 'pg';
import type { Home } from '../../../../shared/home.ts';
import type { Modules } from '../../../domain/modules.ts';
import type { DueCheckStore, StoredDue, ThingCursor } from '../../../home/log/due-check.ts';
import { type TrustedTime, unguarded } from '../../../timer/clock/trusted-time.ts';
import { query } from '../statement.ts';
import { type ThingRow, thingsIn } from './home-rows.ts';

interface Dependencies {
  readonly pool: Pool;
  /** A checked identifier. */
  readonly schema: string;
  readonly modules: Modules;
  /** For tests: a clock instead of Postgres'. */
  readonly nowMs?: () => number;
  /** Default: the clock is believed. */
  readonly time?: TrustedTime;
}

const KEPT_MS = 3_600_000;

/** Things of all players, page by page, in Postgres (`DueCheckStore`). */
export class PostgresDueCheckStore implements DueCheckStore {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  async things({ playerId, module, thingId }: ThingCursor, limit: number): Promise<readonly StoredDue[]> {
    const { pool, schema } = this.#dependencies;
    const text = `select player_id, module, thing_id, version, state, due_at from "${schema}".thing
      where (player_id, module, thing_id) > ($1, $2, $3) order by player_id, module, thing_id limit $4`;
    const values = [playerId, module, thingId, limit];
    const rows = await query<ThingRow>(pool, { name: `${schema}.due-check.things`, text, values });
    return rows.map((row) => ({
      playerId: row.player_id,
      module: row.module,
      thingId: row.thing_id,
      thing: this.#thingIn(row),
      dueAtMs: row.due_at === null ? undefined : Number(row.due_at),
    }));
  }

  async forgetHolds(): Promise<void> {
    const { pool, schema, nowMs: ownMs, time = unguarded } = this.#dependencies;
    const text = `delete from "${schema}".home_hold
      where until_at < coalesce($1::bigint, floor(extract(epoch from clock_timestamp()) * 1000)::bigint) - ${KEPT_MS}`;
    await query(pool, { name: `${schema}.due-check.holds`, text, values: [time.heldMs ?? ownMs?.() ?? null] });
  }

  /** Undefined: of a module that is retired, or that another process has, or of a version that is not known here. */
  #thingIn(row: ThingRow): Home['things'][string][string] | undefined {
    try {
      return thingsIn(this.#dependencies.modules, [row])[row.module]?.[row.thing_id];
    } catch {
      return undefined;
    }
  }
}
