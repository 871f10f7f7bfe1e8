import { isEngineEvent } from '../../../shared/event.ts';
import { callGame, type GameFault } from '../../../shared/game-code.ts';
import { type Thing, thingsOf } from '../../../shared/home.ts';
import type { Sql } from '../../../shared/host-rows.ts';
import { thingDueAt } from '../../domain/due-of.ts';
import { ownEvent } from '../../domain/evolve.ts';
import { ModuleFault } from '../../domain/module-fault.ts';
import type { LoadedModule, LooseChange, Modules } from '../../domain/modules.ts';
import { touchedThings } from '../model/commit.ts';
import type { HomeChange } from '../model/home-store.ts';
import type { ItemMove } from '../model/inventory.ts';

/** All items that the events gave or took. A life after an erasure begins again at `seq` 1, so its keys name the life. */
export const itemMoves = (changes: readonly HomeChange[], lives: ReadonlyMap<string, number>): readonly ItemMove[] =>
  changes.flatMap(({ after: { playerId }, events }) =>
    events.flatMap((event) =>
      Object.entries(event.items ?? {})
        .filter(([, delta]) => delta !== 0)
        .map(([item, delta]) => ({
          playerId,
          item,
          delta,
          reason: isEngineEvent(event) && event.type === 'items-granted' ? event.reason : event.type,
          key: `${playerId}~${lives.get(playerId) ? `${lives.get(playerId)}.` : ''}${event.seq}~${item}`,
        })),
    ),
  );

/** A stored thing. */
export interface ThingRow {
  readonly playerId: string;
  readonly module: string;
  readonly thingId: string;
  readonly version: number;
  readonly state: Thing;
  readonly title: string | undefined;
  /** The time of its timer; undefined: it has none. */
  readonly dueAtMs: number | undefined;
}

export type RowKey = Pick<ThingRow, 'playerId' | 'module' | 'thingId'>;

export interface ThingChanges {
  readonly saved: readonly ThingRow[];
  readonly removed: readonly RowKey[];
}

/** The rows of things that differ. */
export const thingChanges = (modules: Modules, changes: readonly HomeChange[]): ThingChanges => {
  const saved: ThingRow[] = [];
  const removed: RowKey[] = [];
  for (const { before, after } of changes) {
    const { playerId } = after;
    for (const { module: name, id: thingId } of touchedThings(before, after)) {
      const thing = thingsOf(after, name)[thingId];
      const module = modules.named(name);
      if (!thing) removed.push({ playerId, module: name, thingId });
      else if (module) saved.push(thingRowOf(module, playerId, { thingId, thing }));
    }
  }
  return { saved, removed };
};

export const thingRowOf = (
  module: LoadedModule,
  playerId: string,
  { thingId, thing }: { readonly thingId: string; readonly thing: Thing },
): ThingRow => {
  const dueAtMs = thingDueAt(module, thingId, thing);
  const title = module.rules.title?.(thing, thingId);
  return { playerId, module: module.name, thingId, version: module.version, state: thing, title, dueAtMs };
};

// The game's own rows, which a module writes in the transaction of the home's change: `inTransaction`.

/**
 * Calls each module once with all changes. An error of the game's code is thrown as a `ModuleFault`, an error of the
 * world unchanged.
 */
export const writeHostRows = async (
  { modules, lend, isOfWorld }: HostRows,
  changes: readonly HomeChange[],
): Promise<void> => {
  for (const module of modules.all) {
    const { inTransaction } = module.rules;
    const own = inTransaction ? changes.flatMap((change) => changeOf(modules, module, change) ?? []) : [];
    if (own.length === 0) continue;
    const write = (tx: Sql): unknown => inTransaction?.call(module.rules, tx, own);
    await callGame('inTransaction', () => lend(write)).catch((fault: GameFault) => {
      throw isOfWorld(fault) ? fault : new ModuleFault({ module: module.name, rule: 'inTransaction' }, fault.thrown);
    });
  }
};

interface HostRows {
  readonly modules: Modules;
  /** Runs code of the game with the transaction, for a bounded time. */
  readonly lend: (work: (tx: Sql) => unknown) => Promise<unknown>;
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
