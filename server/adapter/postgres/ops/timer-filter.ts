import type { TimerCursor, TimerFilter, TimerPage } from '../../../ops/reads/ops-reads.ts';

export interface FilterSql {
  readonly where: string;
  readonly order: string;
  readonly values: readonly unknown[];
}

/**
 * The conditions of a list of timers; the same for its count, so that both agree. Only what is asked for is in the
 * text: a condition with `or $1 is null` would keep the planner from the indexes.
 */
export const filterSql = (filter: TimerFilter, after?: TimerCursor): FilterSql => {
  const { state, kind, owner, error, hasFailed, fromMs, toMs } = filter;
  const isScheduled = state === 'scheduled';
  const time = isScheduled ? 'fire_at' : 'updated_at';
  const values: unknown[] = [];
  const value = (given: unknown): string => `$${values.push(given)}`;
  const conditions = [
    // As constants: partial indexes are chosen by them.
    `state = '${state}'`,
    ...(isScheduled ? [] : [`state <> 'scheduled'`]),
    ...(state === 'completed' || state === 'cancelled' ? [`state in ('completed', 'cancelled')`] : []),
    ...(state === 'dead' || hasFailed ? [`attempt > 0 and state in ('scheduled', 'dead')`] : []),
    ...(kind === undefined ? [] : [`kind = ${value(kind)}`]),
    ...(owner === undefined ? [] : [`owner = ${value(owner)}`]),
    ...(error === undefined ? [] : [`coalesce(last_error, '') = ${value(error)}`]),
    ...(fromMs === undefined ? [] : [`${time} >= ${value(fromMs)}`]),
    ...(toMs === undefined ? [] : [`${time} < ${value(toMs)}`]),
    ...(after === undefined
      ? []
      : [`(${time}, id) ${isScheduled ? '>' : '<'} (${value(after.atMs)}::bigint, ${value(after.timerId)}::bigint)`]),
  ];
  const direction = isScheduled ? 'asc' : 'desc';
  return { where: conditions.join(' and '), order: `${time} ${direction}, id ${direction}`, values };
};

/** So many are found and sorted within a tenth of a second or two. */
const FEW = 100_000;

/**
 * A page. Left to itself the planner walks along the time, which is quick where many rows fit, and reads the whole table
 * for a rare kind whose timers lie at the far end.
 */
export const listSql = (
  table: string,
  { where, order }: Pick<FilterSql, 'where' | 'order'>,
  { limit, outOf }: Pick<TimerPage, 'limit' | 'outOf'>,
): string => {
  const rows = Math.floor(limit);
  if (outOf > FEW) return `select * from ${table} where ${where} order by ${order} limit ${rows}`;
  return `with fitting as materialized (select id, fire_at, updated_at from ${table} where ${where}),
    page as (select id from fitting order by ${order} limit ${rows})
    select * from ${table} where id in (select id from page) order by ${order}`;
};
