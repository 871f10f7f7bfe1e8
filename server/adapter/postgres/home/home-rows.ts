import type { HomeEvent } from '../../../../shared/event.ts';
import { type Home, newHome, type Thing, withCounters } from '../../../../shared/home.ts';
import type { Items } from '../../../../shared/items.ts';
import { readThing } from '../../../domain/evolve.ts';
import { ModuleMissing } from '../../../domain/module-fault.ts';
import type { Modules } from '../../../domain/modules.ts';
import type { AnsweredCommand } from '../../../home/model/home-store.ts';
import type { CheckpointHome, EventRecord } from '../schema/home-entities.ts';

/** A row as `pg` returns it: bigint as text. */
export interface HomeRow {
  readonly player_id: string;
  readonly seq: string;
  readonly last_at: string;
  readonly tx: string;
  readonly frozen_at: string | null;
  readonly life: number;
  readonly opened: readonly string[];
  /** Empty if a game has its own inventory. */
  readonly items: Items;
  readonly counters: Home['counters'];
}

/** A player with a home that could not be locked. */
export interface MissingRow {
  readonly player_id: string;
  /** The home exists, and another transaction has locked it. */
  readonly is_busy: boolean;
  /** For a player without a home: how often the id was erased. */
  readonly life: number;
}

export interface StoredThing {
  readonly player_id: string;
  readonly module: string;
  readonly thing_id: string;
  readonly version: number;
  readonly state: Thing;
  /** This field and the following belong to its timer. */
  readonly id: string | number;
  readonly revision: number;
  readonly due_at: string | number | null;
}

export interface EventRow {
  readonly seq: string;
  readonly at: string;
  readonly type: string;
  readonly body: object;
  readonly command_id: string | null;
}

type ReadEvent = Pick<EventRecord, 'seq' | 'atMs' | 'type' | 'body' | 'commandId'>;

/** An event of the reply to a command. */
export interface AnsweredRow extends EventRow {
  readonly player_id: string;
  readonly asked_id: string;
  readonly command_hash: string;
}

type ThingState = Pick<StoredThing, 'module' | 'thing_id' | 'version' | 'state'>;
type ThingStateWithId = ThingState & Pick<StoredThing, 'id'>;

/** Things of retired modules are skipped. Throws for a thing that no module reads. */
export const homeOf = (
  modules: Modules,
  row: HomeRow,
  { things, items = row.items }: { readonly things: readonly ThingStateWithId[]; readonly items?: Items | undefined },
): Home => ({
  ...newHome(row.player_id),
  seq: Number(row.seq),
  lastAtMs: Number(row.last_at),
  items,
  things: thingsIn(modules, inOrderOfMaking(things)),
  counters: countersIn(row.counters),
  opened: row.opened,
  ...(row.frozen_at === null ? {} : { frozenAtMs: Number(row.frozen_at) }),
});

/** Counters as rules get them: a counter may have the name of a property that every object has. */
const countersIn = (json: Home['counters']): Home['counters'] =>
  Object.entries(json).reduce((all, [module, own]) => withCounters(all, module, own), {});

/** Sorts by id: an update moves a row in the table, but a player's things must keep their order. */
const inOrderOfMaking = (rows: readonly ThingStateWithId[]): readonly ThingState[] =>
  rows.length < 2 ? rows : rows.toSorted((one, other) => Number(one.id) - Number(other.id));

export const thingsIn = (modules: Modules, rows: readonly ThingState[]): Home['things'] => {
  const all: Record<string, Record<string, Thing>> = {};
  for (const { module, thing_id, version, state } of rows) {
    const loaded = modules.named(module);
    if (!loaded && modules.retired.includes(module)) continue;
    if (!loaded) throw new ModuleMissing(module);
    const own = all[module] ?? Object.create(null);
    own[thing_id] = readThing(loaded, state, version);
    all[module] = own;
  }
  return all;
};

export const eventOf = (row: EventRow): HomeEvent =>
  eventOfRecord({
    seq: Number(row.seq),
    atMs: Number(row.at),
    type: row.type,
    body: row.body,
    commandId: row.command_id,
  });

/** The row has only fields that the event's schema accepted. */
export const eventOfRecord = ({ seq, atMs, type, body, commandId }: ReadEvent): HomeEvent =>
  ({ v: 1, seq, at: atMs, ...(commandId !== null && { commandId }), type, ...body }) as HomeEvent;

export const answeredOf = (rows: readonly AnsweredRow[]): readonly AnsweredCommand[] => {
  const byCommand = Map.groupBy(rows, (row) => `${row.player_id} ${row.asked_id}`);
  return [...byCommand.values()].flatMap((own) =>
    own.slice(0, 1).map((first) => ({
      playerId: first.player_id,
      commandId: first.asked_id,
      hash: first.command_hash,
      events: own.map(eventOf),
    })),
  );
};

export const toCheckpoint = (modules: Modules, home: Home): CheckpointHome => ({
  ...home,
  versions: Object.fromEntries(Object.keys(home.things).map((name) => [name, modules.named(name)?.version ?? 1])),
});

/** Skips things of retired modules. Throws for things that no module reads. */
export const fromCheckpoint = (
  modules: Modules,
  { versions, things, counters = {}, ...kept }: CheckpointHome,
): Home => ({
  ...newHome(kept.playerId),
  ...kept,
  counters: countersIn(counters),
  things: thingsIn(
    modules,
    Object.entries(things).flatMap(([module, own]) =>
      Object.entries<Thing>(own).map(([thing_id, state]) => ({
        player_id: kept.playerId,
        module,
        thing_id,
        version: versions[module] ?? 1,
        state,
      })),
    ),
  ),
});
