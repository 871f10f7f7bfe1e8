import type { Modules } from '../../../domain/modules.ts';
import type { EngineLog } from '../../../runtime/engine-log.ts';
import type { Database } from '../database.ts';

const EVERY_MS = 60_000;
const RETIRED =
  'another release has retired this module: its timers do not fire. If that release was withdrawn, restart one process of this release, which registers the module again';

interface Dependencies {
  readonly database: Database;
  readonly modules: Modules;
  readonly log: Pick<EngineLog, 'warn'>;
}

/**
 * A chore: warns once of a module of this process that another release has retired. Whether that release still runs or
 * was withdrawn is not known here, so nothing is changed: in a rolling restart the older process must not undo it.
 */
export const retiredElsewhere = ({ database, modules, log }: Dependencies): (() => Promise<number>) => {
  const sql = database.statements('retired-elsewhere', {
    retired: `select module from "${database.schema}".timer_kind where is_retired and module = any($1::text[])`,
  });
  const own = modules.all.map(({ name }) => name);
  let told: readonly string[] = [];
  return async () => {
    const retired = (await sql.rows<{ readonly module: string }>('retired', [own])).map(({ module }) => module);
    for (const module of retired) {
      if (!told.includes(module)) log.warn({ code: 'module/retired-elsewhere', module }, RETIRED);
    }
    told = retired;
    return EVERY_MS;
  };
};
