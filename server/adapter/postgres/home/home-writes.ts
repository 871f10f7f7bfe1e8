import type { HomeEvent } from '../../../../shared/event.ts';
import { omit } from '../../../../shared/omit.ts';
import type { Modules } from '../../../domain/modules.ts';
import type { HomeChange, HomesChanged } from '../../../home/model/home-store.ts';
import { type ThingKey, type ThingRow, thingChanges } from '../../../home/write/row-changes.ts';
import { timerChanges } from '../../../home/write/timer-changes.ts';
import type { TimerStore, Tx } from '../../../timer/model/timer-store.ts';
import { inOrder, type Step } from '../statement.ts';
import type { LoadedRows } from './home-loader.ts';
import type { HomeSql, RunHomeSql } from './home-sql.ts';

interface Saving {
  readonly modules: Modules;
  readonly tx: Tx;
  readonly changes: readonly HomeChange[];
  readonly loaded: LoadedRows;
  readonly timers: Pick<TimerStore, 'changeDerived'>;
  /** The stock is in the home's row, not in a game's own inventory. */
  readonly hasOwnItems: boolean;
  readonly run: RunHomeSql;
  readonly commit: Step;
}

/** The second half of a change: writes all that a batch changed, and commits. Returns what the index has to be told. */
export const saveHomes = async (saving: Saving): Promise<HomesChanged> => {
  const { modules, tx, changes, loaded, timers, commit } = saving;
  const { derived, healed } = timerChanges(modules, changes, loaded);
  const saveTimers = async (): Promise<HomesChanged> => {
    const index = derived ? await timers.changeDerived(tx, derived, loaded.nowMs) : { put: [], remove: [] };
    return healed ? { ...index, healed } : index;
  };
  const saves = savesOf(saving);
  const [, index] = await inOrder(tx, [() => inOrder(tx, saves), saveTimers, commit]);
  return index;
};

/** All columns are made before the first statement is sent: where that fails, no commit is under way. */
const savesOf = ({ modules, tx, changes, loaded, hasOwnItems, run }: Saving): readonly Step[] => {
  const { saved, removed } = thingChanges(modules, changes);
  const save = (statement: keyof HomeSql, columns: Columns): Step => {
    return () => run(tx, statement, columns);
  };
  return [
    ...(changes.length > 0 ? [save('saveHomes', homeColumns(changes, loaded, hasOwnItems))] : []),
    ...(changes.length > 0 ? [save('saveEvents', eventColumns(changes, loaded))] : []),
    ...(removed.length > 0 ? [save('deleteThings', thingKeyColumns(removed))] : []),
    ...(saved.length > 0 ? [save('saveThings', thingColumns(saved))] : []),
  ];
};

/** What a statement of `homeSql` takes: one array a column, or its text; or what all rows have, as text. */
type Columns = readonly (readonly unknown[] | string)[];

const columns = <Row>(rows: readonly Row[], ...cells: readonly ((row: Row) => unknown)[]): Columns =>
  cells.map((cell) => rows.map(cell));

/**
 * An array of JSON as Postgres reads it. JSON in quotes has no escapes but those of quotes and backslashes, which arrays
 * have too: so it is written four times as fast as an array of any text.
 */
const jsonColumn = (texts: readonly string[]): string => `{${JSON.stringify(texts).slice(1, -1)}}`;

const homeColumns = (changes: readonly HomeChange[], { lastTx, lives }: LoadedRows, hasOwnItems: boolean): Columns => [
  ...columns(
    changes,
    ({ after }) => after.playerId,
    ({ after }) => after.seq,
    ({ after }) => after.lastAtMs,
    ({ after }) => lastTx.get(after.playerId),
    ({ after }) => after.frozenAtMs,
    ({ after }) => lives.get(after.playerId) ?? 0,
    ({ after }) => JSON.stringify(after.opened),
  ),
  jsonColumn(changes.map(({ after }) => (hasOwnItems ? JSON.stringify(after.items) : '{}'))),
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

const thingKeyColumns = (keys: readonly ThingKey[]): Columns =>
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

/** What the other columns do not say. `v` where it isn't 1. */
const bodyOf = (event: HomeEvent): string => {
  const body = omit(event, 'v', 'seq', 'at', 'type', 'commandId');
  return JSON.stringify(event.v === 1 ? body : { ...body, v: event.v });
};
