import { isEngineEvent } from '../../../shared/event.ts';
import { type Thing, thingsOf } from '../../../shared/home.ts';
import { dueOf } from '../../domain/due-of.ts';
import type { LoadedModule, Modules } from '../../domain/modules.ts';
import { touchedThings } from '../model/commit.ts';
import type { HomeChange } from '../model/home-store.ts';
import type { ItemMove } from '../model/inventory.ts';

/** Everything that the events gave or took. */
export const itemMoves = (changes: readonly HomeChange[]): readonly ItemMove[] =>
  changes.flatMap(({ after: { playerId }, events }) =>
    events.flatMap((event) =>
      Object.entries(event.items ?? {})
        .filter(([, delta]) => delta !== 0)
        .map(([item, delta]) => ({
          playerId,
          item,
          delta,
          reason: isEngineEvent(event) && event.type === 'items-granted' ? event.reason : event.type,
          key: `${playerId}~${event.seq}~${item}`,
        })),
    ),
  );

/** A thing as it is stored. */
export interface ThingRow {
  readonly playerId: string;
  readonly module: string;
  readonly thingId: string;
  readonly version: number;
  readonly state: Thing;
  readonly title: string | undefined;
  /** Time of its timer; undefined: it has none. */
  readonly dueAtMs: number | undefined;
}

export type ThingKey = Pick<ThingRow, 'playerId' | 'module' | 'thingId'>;

export interface ThingChanges {
  readonly saved: readonly ThingRow[];
  readonly removed: readonly ThingKey[];
}

/** Of the things that differ. */
export const thingChanges = (modules: Modules, changes: readonly HomeChange[]): ThingChanges => {
  const saved: ThingRow[] = [];
  const removed: ThingKey[] = [];
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
  const dueAtMs = dueOf(module, thingId, thing);
  const title = module.rules.title?.(thing, thingId);
  return { playerId, module: module.name, thingId, version: module.version, state: thing, title, dueAtMs };
};
