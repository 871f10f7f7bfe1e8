import { isA } from '../../../../shared/game-code.ts';
import { thingsOf } from '../../../../shared/home.ts';
import { ModuleFault } from '../../../domain/module-fault.ts';
import type { Modules } from '../../../domain/modules.ts';
import type { HomeChange } from '../../../home/model/home-store.ts';
import { type ThingKey, type ThingRow, thingChanges, thingRowOf } from '../../../home/write/row-changes.ts';
import type { IndexChanges, IndexEntry } from '../../../timer/model/index-entry.ts';
import type { LoadedRows } from './home-loader.ts';
import type { ThingRow as StoredThing } from './home-rows.ts';

/** A new thing's row, as the insert returns it. */
export type AddedThing = Pick<StoredThing, 'player_id' | 'module' | 'thing_id' | 'id'>;

/** What of the things is written, and what that does to their timers. */
interface ThingWrites {
  readonly saved: readonly ThingRow[];
  readonly added: readonly ThingRow[];
  readonly removed: readonly ThingKey[];
  readonly put: readonly IndexEntry[];
  readonly remove: readonly IndexEntry[];
}

/** The things that differ, and those whose due time in the table is not what the rules say of them. */
export const thingWrites = (modules: Modules, changes: readonly HomeChange[], loaded: LoadedRows): ThingWrites => {
  const { saved: wanted, removed } = thingChanges(modules, changes);
  const stored = new Map(loaded.things.map((row) => [nameOf(row.player_id, row.module, row.thing_id), row]));
  const storedOf = ({ playerId, module, thingId }: ThingKey) => stored.get(nameOf(playerId, module, thingId));
  const touched = new Set([...wanted, ...removed].flatMap((key) => storedOf(key) ?? []));
  const saved = [...wanted.filter(storedOf), ...straysIn(modules, loaded, touched)];
  const [put, remove]: [IndexEntry[], IndexEntry[]] = [[], []];
  for (const thing of saved) {
    const row = storedOf(thing);
    if (!row || dueAtMsOf(row) === thing.dueAtMs) continue;
    const entry = entryOf(row, thing.dueAtMs, row.revision + 1);
    (thing.dueAtMs === undefined ? remove : put).push(entry);
  }
  for (const key of removed) {
    const row = storedOf(key);
    if (row && dueAtMsOf(row) !== undefined) remove.push(entryOf(row, undefined, row.revision));
  }
  return { saved, added: wanted.filter((thing) => !storedOf(thing)), removed, put, remove };
};

/** What the index has to hear, once new things have their ids. */
export const entriesOf = ({ added, put, remove }: ThingWrites, rows: readonly AddedThing[]): IndexChanges => {
  const dueOf = new Map(added.map((thing) => [nameOf(thing.playerId, thing.module, thing.thingId), thing.dueAtMs]));
  const begun = rows.flatMap((row) => {
    const dueAtMs = dueOf.get(nameOf(row.player_id, row.module, row.thing_id));
    return dueAtMs === undefined ? [] : entryOf(row, dueAtMs, 1);
  });
  return { put: [...put, ...begun], remove };
};

/** Nobody but the rules decides when a thing is due: what was written by hand is written anew. */
const straysIn = (
  modules: Modules,
  { homes, things }: LoadedRows,
  touched: ReadonlySet<StoredThing>,
): readonly ThingRow[] =>
  things.flatMap((row) => {
    const module = modules.named(row.module);
    const home = homes.get(row.player_id);
    const thing = home && thingsOf(home, row.module)[row.thing_id];
    if (!module || !thing || touched.has(row)) return [];
    try {
      const dueAtMs = module.rules.dueAtMs?.(thing, row.thing_id);
      if (dueAtMs === dueAtMsOf(row)) return [];
      return thingRowOf(module, row.player_id, { thingId: row.thing_id, thing });
    } catch (error) {
      // A home that stands still since a rule fails cannot say when something is due: its rows stay as they are.
      if (isA(error, ModuleFault)) return [];
      throw error;
    }
  });

const nameOf = (playerId: string, module: string, thing: string): string => `${playerId} ${module} ${thing}`;

const dueAtMsOf = ({ due_at }: StoredThing): number | undefined => (due_at === null ? undefined : Number(due_at));

/** Of what is removed the time does not count. */
const entryOf = (
  { id, player_id }: Pick<StoredThing, 'id' | 'player_id'>,
  dueAtMs: number | undefined,
  revision: number,
): IndexEntry => ({ timerId: String(id), owner: player_id, fireAtMs: dueAtMs ?? 0, revision });
