import { isA } from '../../../../shared/game-code.ts';
import { thingsOf } from '../../../../shared/home.ts';
import { ModuleFault } from '../../../domain/module-fault.ts';
import type { Modules } from '../../../domain/modules.ts';
import type { HomeChange } from '../../../home/model/home-store.ts';
import { type RowKey, type ThingRow, thingChanges, thingRowOf } from '../../../home/write/row-changes.ts';
import type { IndexChanges, IndexEntry, IndexRemoval } from '../../../timer/model/index-entry.ts';
import type { LoadedRows } from './home-loader.ts';
import type { StoredThing } from './home-rows.ts';

/** A new thing's row, as the insert returns it. */
export type AddedThing = Pick<StoredThing, 'player_id' | 'module' | 'thing_id' | 'id'>;

/** A thing's new state, and its present row. */
interface SavedThing {
  readonly thing: ThingRow;
  readonly row: StoredThing;
}

/** The writes of things, and their changes of timers. */
interface ThingWrites {
  readonly saved: readonly ThingRow[];
  readonly added: readonly ThingRow[];
  readonly removed: readonly RowKey[];
  readonly put: readonly IndexEntry[];
  readonly remove: readonly IndexRemoval[];
}

/** The things that differ, and things with a stored due time that is not the one of the rules. */
export const thingWrites = (modules: Modules, changes: readonly HomeChange[], loaded: LoadedRows): ThingWrites => {
  const { saved: wanted, removed } = thingChanges(modules, changes);
  const stored = storedRows([...wanted, ...removed], loaded.things);
  const storedOf = ({ playerId, module, thingId }: RowKey) => stored.get(nameOf(playerId, module, thingId));
  const found = wanted.map((thing) => ({ thing, row: storedOf(thing) }));
  const gone = removed.flatMap((key) => storedOf(key) ?? []);
  const touched = new Set([...found.flatMap(({ row }) => row ?? []), ...gone]);
  const saved = [
    ...found.flatMap(({ thing, row }) => (row ? { thing, row } : [])),
    ...straysIn(modules, loaded, touched),
  ];
  const moved = saved.filter(({ thing, row }) => dueAtMsOf(row) !== thing.dueAtMs);
  const ended = gone.filter((row) => dueAtMsOf(row) !== undefined);
  return {
    saved: saved.map(({ thing }) => thing),
    added: found.flatMap(({ thing, row }) => (row ? [] : thing)),
    removed,
    put: moved.flatMap(({ thing: { dueAtMs }, row }) =>
      dueAtMs === undefined ? [] : entryOf(row, dueAtMs, row.revision + 1),
    ),
    remove: [
      ...moved.flatMap(({ thing, row }) => (thing.dueAtMs === undefined ? entryOf(row, 0, row.revision + 1) : [])),
      ...ended.map((row) => entryOf(row, 0, row.revision)),
    ],
  };
};

/** The rows of these things by name. A batch changes few of a home's rows, so only these get a name. */
const storedRows = (keys: readonly RowKey[], things: LoadedRows['things']): ReadonlyMap<string, StoredThing> => {
  const ids = new Set(keys.map(({ thingId }) => thingId));
  const rows = [...things.values()].flatMap((own) => own.filter((row) => ids.has(row.thing_id)));
  return new Map(rows.map((row) => [nameOf(row.player_id, row.module, row.thing_id), row]));
};

/** The changes of the index, after new things have got their ids. */
export const thingIndexChanges = ({ added, put, remove }: ThingWrites, rows: readonly AddedThing[]): IndexChanges => {
  const dueOf = new Map(added.map((thing) => [nameOf(thing.playerId, thing.module, thing.thingId), thing.dueAtMs]));
  const begun = rows.flatMap((row) => {
    const dueAtMs = dueOf.get(nameOf(row.player_id, row.module, row.thing_id));
    return dueAtMs === undefined ? [] : entryOf(row, dueAtMs, 1);
  });
  return { put: [...put, ...begun], remove };
};

/** The rules decide when a thing is due: a stored due time that differs is rewritten. */
const straysIn = (
  modules: Modules,
  { homes, things }: LoadedRows,
  touched: ReadonlySet<StoredThing>,
): readonly SavedThing[] =>
  [...homes.values()].flatMap((home) =>
    (things.get(home.playerId) ?? []).flatMap((row) => {
      const module = modules.named(row.module);
      const thing = thingsOf(home, row.module)[row.thing_id];
      if (!module || !thing || touched.has(row)) return [];
      try {
        const dueAtMs = module.rules.dueAtMs?.(thing, row.thing_id);
        if (dueAtMs === dueAtMsOf(row)) return [];
        return { thing: thingRowOf(module, row.player_id, { thingId: row.thing_id, thing }), row };
      } catch (error) {
        // If a rule fails, the home stands still and has no known due times: its rows stay unchanged.
        if (isA(error, ModuleFault)) return [];
        throw error;
      }
    }),
  );

const nameOf = (playerId: string, module: string, thing: string): string => `${playerId} ${module} ${thing}`;

const dueAtMsOf = ({ due_at }: StoredThing): number | undefined => (due_at === null ? undefined : Number(due_at));

const entryOf = (
  { id, player_id }: Pick<StoredThing, 'id' | 'player_id'>,
  fireAtMs: number,
  revision: number,
): IndexEntry => ({ timerId: String(id), owner: player_id, fireAtMs, revision });
