// Which rows the changes of homes ask for, besides those of the timers (`timer-changes.ts`).

import { isEngineEvent } from '../../../shared/event.ts';
import { type Home, type Thing, thingsOf } from '../../../shared/home.ts';
import { dueOf, runOf } from '../../domain/due-of.ts';
import type { LoadedModule, Modules } from '../../domain/modules.ts';
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
  /** Subject and time of its timer; undefined: it has none. */
  readonly run: string | undefined;
  readonly dueAtMs: number | undefined;
}

export type ThingKey = Pick<ThingRow, 'playerId' | 'module' | 'thingId'>;

export interface ThingChanges {
  readonly saved: readonly ThingRow[];
  readonly removed: readonly ThingKey[];
}

/** Things that are not what they were: states are never changed in place, so another object is another state. */
export const thingChanges = (modules: Modules, changes: readonly HomeChange[]): ThingChanges => {
  const all = changes.flatMap(({ before, after }) => modules.all.map((module) => changedOf(module, before, after)));
  return { saved: all.flatMap(({ saved }) => saved), removed: all.flatMap(({ removed }) => removed) };
};

const changedOf = (module: LoadedModule, before: Home, after: Home): ThingChanges => {
  const earlier = thingsOf(before, module.name);
  const later = thingsOf(after, module.name);
  if (earlier === later) return NOTHING;
  const key = { playerId: after.playerId, module: module.name };
  return {
    saved: Object.entries(later)
      .filter(([thingId, thing]) => earlier[thingId] !== thing)
      .map(([thingId, thing]) => thingRowOf(module, key.playerId, { thingId, thing })),
    removed: Object.keys(earlier)
      .filter((thingId) => later[thingId] === undefined)
      .map((thingId) => ({ ...key, thingId })),
  };
};

const NOTHING: ThingChanges = { saved: [], removed: [] };

export const thingRowOf = (
  module: LoadedModule,
  playerId: string,
  { thingId, thing }: { readonly thingId: string; readonly thing: Thing },
): ThingRow => {
  const dueAtMs = dueOf(module, thingId, thing);
  const run = dueAtMs === undefined ? undefined : runOf(module, playerId, { id: thingId, thing });
  const title = module.rules.title?.(thing);
  return { playerId, module: module.name, thingId, version: module.version, state: thing, title, run, dueAtMs };
};
