import type { HomeEvent } from '../../../../shared/event.ts';
import { omit } from '../../../../shared/omit.ts';
import type { Modules } from '../../../domain/modules.ts';
import type { HomeChange } from '../../../home/model/home-store.ts';
import type { RowKey, ThingRow } from '../../../home/write/row-changes.ts';
import type { IndexChanges } from '../../../timer/model/index-entry.ts';
import type { Tx } from '../../../timer/model/timer-store.ts';
import { inOrder, type Step } from '../statement.ts';
import type { LoadedRows } from './home-loader.ts';
import type { HomeSql } from './home-sql.ts';
import { type AddedThing, thingIndexChanges, thingWrites } from './thing-writes.ts';

interface Saving {
  readonly modules: Modules;
  readonly tx: Tx;
  readonly changes: readonly HomeChange[];
  readonly loaded: LoadedRows;
  /** The stock is in the home's row, not in a game's own inventory. */
  readonly hasOwnItems: boolean;
  readonly sql: HomeSql;
  readonly commit: Step;
}

/** The second half of a change: writes all changes of a batch and commits. Returns the changes of the index. */
export const saveHomes = async ({ modules, tx, loaded, commit, ...saving }: Saving): Promise<IndexChanges> => {
  const { changes, hasOwnItems, sql } = saving;
  // All columns are made before the first statement is sent: if that fails, no commit has begun.
  const save = <Row>(rows: readonly unknown[], statement: Parameters<HomeSql['rows']>[0], columns: () => Columns) => {
    if (rows.length === 0) return async (): Promise<readonly Row[]> => [];
    const values = columns();
    return () => sql.rows<Row>(statement, values, tx);
  };
  const things = thingWrites(modules, changes, loaded);
  const known = changes.filter(({ after }) => loaded.lastTx.has(after.playerId));
  const marked = known.filter(({ before, after }) => before.opened !== after.opened || isFrozenAnew(before, after));
  const fresh = changes.filter(({ after }) => !loaded.lastTx.has(after.playerId));
  const dated = (rows: readonly ThingRow[]): Columns => [...thingColumns(rows), String(loaded.nowMs)];
  const saves = [
    save(known, 'saveHomes', () => homeColumns(known, hasOwnItems)),
    save(marked, 'markHomes', () => markColumns(marked)),
    save(fresh, 'addHomes', () => newHomeColumns(fresh, loaded, hasOwnItems)),
    save(changes, 'saveEvents', () => eventColumns(changes, loaded)),
    save(things.removed, 'deleteThings', () => thingKeyColumns(things.removed)),
    save(things.saved, 'saveThings', () => dated(things.saved)),
  ];
  const add = save<AddedThing>(things.added, 'addThings', () => dated(things.added));
  const [, added] = await inOrder(tx, [() => inOrder(tx, saves), add, commit]);
  return thingIndexChanges(things, added);
};

const isFrozenAnew = (before: HomeChange['before'], after: HomeChange['after']): boolean =>
  before.frozenAtMs !== after.frozenAtMs;

/** The parameters of a statement of `homeSql`: an array or its text per column, or a text for all rows. */
type Columns = readonly (readonly unknown[] | string)[];

const columns = <Row>(rows: readonly Row[], ...cells: readonly ((row: Row) => unknown)[]): Columns =>
  cells.map((cell) => rows.map(cell));

/**
 * An array of JSON as Postgres reads it. Quoted JSON escapes only quotes and backslashes, as arrays do, so this is four
 * times as fast as an array of any text.
 */
const jsonColumn = (texts: readonly string[]): string => `{${JSON.stringify(texts).slice(1, -1)}}`;

const homeColumns = (changes: readonly HomeChange[], hasOwnItems: boolean): Columns => [
  ...columns(
    changes,
    ({ after }) => after.playerId,
    ({ after }) => after.seq,
    ({ after }) => after.lastAtMs,
  ),
  jsonColumn(changes.map(({ after }) => (hasOwnItems ? JSON.stringify(after.items) : '{}'))),
  jsonColumn(changes.map(({ after }) => JSON.stringify(after.counters))),
];

const marks = (changes: readonly HomeChange[]): Columns =>
  columns(
    changes,
    ({ after }) => after.frozenAtMs,
    ({ after }) => JSON.stringify(after.opened),
  );

const markColumns = (changes: readonly HomeChange[]): Columns => [
  changes.map(({ after }) => after.playerId),
  ...marks(changes),
];

const newHomeColumns = (changes: readonly HomeChange[], { lives }: LoadedRows, hasOwnItems: boolean): Columns => [
  ...homeColumns(changes, hasOwnItems),
  ...marks(changes),
  changes.map(({ after }) => lives.get(after.playerId) ?? 0),
];

const thingColumns = (things: readonly ThingRow[]): Columns => [
  ...columns(
    things,
    ({ playerId }) => playerId,
    ({ module }) => module,
    ({ thingId }) => thingId,
    ({ version }) => version,
  ),
  jsonColumn(things.map(({ state }) => JSON.stringify(state))),
  ...columns(
    things,
    ({ title }) => title,
    ({ dueAtMs }) => dueAtMs,
  ),
];

const thingKeyColumns = (keys: readonly RowKey[]): Columns =>
  columns(
    keys,
    ({ playerId }) => playerId,
    ({ module }) => module,
    ({ thingId }) => thingId,
  );

const eventColumns = (changes: readonly HomeChange[], { lastTx, nowMs }: LoadedRows): Columns => {
  const rows = changes.flatMap(({ after, events, commands }) =>
    events.map((event) => ({ playerId: after.playerId, event, command: commands.get(event.seq) })),
  );
  return [
    ...columns(
      rows,
      ({ playerId }) => playerId,
      ({ event }) => event.seq,
      ({ event }) => event.at,
      ({ event }) => event.type,
    ),
    jsonColumn(rows.map(({ event }) => bodyOf(event))),
    ...columns(
      rows,
      ({ event }) => event.commandId,
      ({ command }) => command?.hash,
      ({ command }) => command?.answerSeq,
      ({ playerId }) => lastTx.get(playerId),
    ),
    String(nowMs),
  ];
};

/** The fields without a column of their own. `v` only if it is not 1. */
const bodyOf = (event: HomeEvent): string => {
  const body = omit(event, 'v', 'seq', 'at', 'type', 'commandId');
  return JSON.stringify(event.v === 1 ? body : { ...body, v: event.v });
};
