import type { TimerCursor, TimerFilter, TimerPage } from '../../../ops/reads/ops-reads.ts';
import { OVER, SCHEDULED, timerTables } from '../timer/timer-tables.ts';

export interface FilterSql {
  /** The table that has all that is asked of a timer in this state, and what `where` calls it. */
  readonly table: string;
  readonly row: 'd' | 't';
  /** The column of its order. */
  readonly time: 'fire_at' | 'updated_at';
  readonly where: string;
  readonly values: readonly unknown[];
}

/**
 * The conditions of a list of timers; the same for its count, so that both agree. Only what is asked for is in the
 * text: a condition with `or $1 is null` would keep the planner from the indexes. `schema` is a checked identifier.
 */
export const filterSql = (schema: string, filter: TimerFilter, after?: TimerCursor): FilterSql => {
  const { timer, due } = timerTables(schema);
  const { state, kind, owner, error, hasFailed, fromMs, toMs } = filter;
  const isScheduled = state === 'scheduled';
  const row = isScheduled ? 'd' : 't';
  const column = isScheduled ? 'fire_at' : 'updated_at';
  const time = `${row}.${column}`;
  const values: unknown[] = [];
  const value = (given: unknown): string => `$${values.push(given)}`;
  const conditions = [
    ...(isScheduled ? ['true'] : statesOf(state)),
    ...(state === 'dead' || hasFailed ? [`${row}.attempt > 0`] : []),
    ...(kind === undefined ? [] : [`${row}.kind = ${value(kind)}`]),
    ...(owner === undefined ? [] : [ofOwner(isScheduled ? timer : undefined, value(owner))]),
    ...(error === undefined ? [] : [`coalesce(${row}.last_error, '') = ${value(error)}`]),
    ...(fromMs === undefined ? [] : [`${time} >= ${value(fromMs)}`]),
    ...(toMs === undefined ? [] : [`${time} < ${value(toMs)}`]),
    ...(after === undefined
      ? []
      : [
          `(${time}, ${row}.id) ${isScheduled ? '>' : '<'} (${value(after.atMs)}::bigint, ${value(after.timerId)}::bigint)`,
        ]),
  ];
  return { table: isScheduled ? due : timer, row, time: column, where: conditions.join(' and '), values };
};

/** As constants: partial indexes are chosen by them. */
const statesOf = (state: TimerFilter['state']): readonly string[] => [
  `t.state = '${state}' and t.state <> 'scheduled'`,
  ...(state === 'completed' || state === 'cancelled' ? [`t.state in ('completed', 'cancelled')`] : []),
];

/** An owner's scheduled timers are found in `timer`: they never change hands. */
const ofOwner = (timer: string | undefined, owner: string): string =>
  timer === undefined
    ? `t.owner = ${owner}`
    : `d.id in (select id from ${timer} where owner = ${owner} and state = 'scheduled')`;

/** So many are found and sorted within a tenth of a second or two. */
const FEW = 100_000;

/**
 * A page. Left to itself the planner walks along the time, which is quick where many rows fit, and reads the whole table
 * for a rare kind whose timers lie at the far end.
 */
export const listSql = (
  schema: string,
  { table, row, time, where }: Omit<FilterSql, 'values'>,
  { limit, outOf }: Pick<TimerPage, 'limit' | 'outOf'>,
): string => {
  const { timer } = timerTables(schema);
  const direction = row === 'd' ? 'asc' : 'desc';
  const order = `order by ${row}.${time} ${direction}, ${row}.id ${direction}`;
  const page = `${order} limit ${Math.floor(limit)}`;
  const rows =
    row === 'd' ? `select ${SCHEDULED} from page d join ${timer} t on t.id = d.id` : `select ${OVER} from page t`;
  if (outOf > FEW) {
    return `with page as materialized (select * from ${table} ${row} where ${where} ${page}) ${rows} ${order}`;
  }
  return `with fitting as materialized (select id, ${time} from ${table} ${row} where ${where}),
    found as (select id from fitting ${row} ${page}),
    page as materialized (select * from ${table} where id in (select id from found)) ${rows} ${order}`;
};
