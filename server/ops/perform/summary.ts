import type { Home } from '../../../shared/home.ts';
import { dueOf, runOf } from '../../domain/due-of.ts';
import type { Modules } from '../../domain/modules.ts';

/** A home as the audit keeps it: what an operator can have changed. */
export const summaryOf = (modules: Modules, { playerId, seq, items, things, frozenAtMs }: Home) => ({
  seq,
  items,
  things: modules.all.flatMap((module) =>
    Object.entries(things[module.name] ?? {}).map(([id, thing]) => {
      const dueAtMs = dueOf(module, id, thing);
      return {
        module: module.name,
        thing: id,
        ...(dueAtMs !== undefined && { run: runOf(module, playerId, { id, thing }), dueAtMs }),
      };
    }),
  ),
  ...(frozenAtMs === undefined ? {} : { frozenAtMs }),
});
