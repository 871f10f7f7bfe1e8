// The game's own rows, which a module writes in the transaction of the home's change: `inTransaction`.

import { callGame, type GameFault } from '../../../shared/game-code.ts';
import { thingsOf } from '../../../shared/home.ts';
import type { Sql } from '../../../shared/host-rows.ts';
import { ownEvent } from '../../domain/evolve.ts';
import { ModuleFault } from '../../domain/module-fault.ts';
import type { LoadedModule, LooseChange, Modules } from '../../domain/modules.ts';
import { touchedThings } from '../model/commit.ts';
import type { HomeChange } from '../model/home-store.ts';

/**
 * Calls each module once with all that changed. Throws a `ModuleFault` for what the game's code threw, and as it is what
 * the world did.
 */
export const writeHostRows = async (
  { modules, tx, isOfWorld }: HostRows,
  changes: readonly HomeChange[],
): Promise<void> => {
  for (const module of modules.all) {
    const { inTransaction } = module.rules;
    const own = inTransaction ? changes.flatMap((change) => changeOf(modules, module, change) ?? []) : [];
    if (own.length === 0) continue;
    await callGame('inTransaction', () => inTransaction?.call(module.rules, tx, own)).catch((fault: GameFault) => {
      throw isOfWorld(fault) ? fault : new ModuleFault({ module: module.name, rule: 'inTransaction' }, fault.thrown);
    });
  }
};

interface HostRows {
  readonly modules: Modules;
  readonly tx: Sql;
  readonly isOfWorld: (error: unknown) => boolean;
}

const changeOf = (
  modules: Modules,
  module: LoadedModule,
  { before, after, events }: HomeChange,
): LooseChange | undefined => {
  const own = events.flatMap((event) => {
    const found = modules.ofEvent(event.type);
    return found?.module === module ? ownEvent(found, event) : [];
  });
  const now = thingsOf(after, module.name);
  const touched = touchedThings(before, after).filter((one) => one.module === module.name);
  const things = Object.fromEntries(touched.map(({ id }) => [id, now[id]]));
  return own.length + touched.length > 0 ? { playerId: after.playerId, events: own, things } : undefined;
};
