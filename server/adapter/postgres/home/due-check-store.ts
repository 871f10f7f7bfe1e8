import type { Home } from '../../../../shared/home.ts';
import type { Modules } from '../../../domain/modules.ts';
import type { DueCheckStore, StoredDue, ThingCursor } from '../../../home/log/due-check.ts';
import { type Database, nowMs, type Statements } from '../database.ts';
import { type StoredThing, thingsIn } from './home-rows.ts';

interface Dependencies {
  readonly database: Database;
  readonly modules: Modules;
}

const KEPT_MS = 3_600_000;

/** Things of all players, page by page, in Postgres (`DueCheckStore`). */
export class PostgresDueCheckStore implements DueCheckStore {
  readonly #on: Dependencies;
  readonly #sql: Statements<keyof ReturnType<typeof dueCheckSql>>;

  constructor(dependencies: Dependencies) {
    const { database } = dependencies;
    this.#on = dependencies;
    this.#sql = database.statements('due-check', dueCheckSql(database.schema));
  }

  async things({ playerId, module, thingId }: ThingCursor, limit: number): Promise<readonly StoredDue[]> {
    const rows = await this.#sql.rows<StoredThing>('things', [playerId, module, thingId, limit]);
    return rows.map((row) => ({
      playerId: row.player_id,
      module: row.module,
      thingId: row.thing_id,
      thing: this.#thingIn(row),
      dueAtMs: row.due_at === null ? undefined : Number(row.due_at),
    }));
  }

  async forgetHolds(): Promise<void> {
    await this.#sql.run('holds', [this.#on.database.datedMs()]);
  }

  /** Undefined: its module is retired or only another process has it, or its version is unknown here. */
  #thingIn(row: StoredThing): Home['things'][string][string] | undefined {
    try {
      return thingsIn(this.#on.modules, [row])[row.module]?.[row.thing_id];
    } catch {
      return undefined;
    }
  }
}

const dueCheckSql = (schema: string) => ({
  things: `select player_id, module, thing_id, version, state, due_at from "${schema}".thing
      where (player_id, module, thing_id) > ($1, $2, $3) order by player_id, module, thing_id limit $4`,

  holds: `delete from "${schema}".home_hold
      where until_at < ${nowMs(1)} - ${KEPT_MS}`,
});
