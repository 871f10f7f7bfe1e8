import type { TimerCursor, TimerFilter, TimerPage } from '../../../ops/reads/timer-reads.ts';
import { COUNTED_TO } from '../../../timer/model/timer-counts.ts';
import { OVER, SCHEDULED, THING, thingTables, timerTables } from '../timer/timer-tables.ts';

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** One table's part of a list: rows `r` with `at`, the place in the order, and `ref`, the reference to a thing's row. */
interface Part {
  readonly from: string;
  readonly where: string;
  /** Rows without a timer. */
  readonly except?: { readonly ifAny: string; readonly where: string };
  /** The column of the order. */
  readonly at: string;
  readonly ref: string;
}

/** Counts the rows of a list up to `COUNTED_TO`, with the same conditions, so that both agree. `schema` is a checked identifier. */
export const countSql = (schema: string, filter: TimerFilter): Statement => {
  const { parts, values } = partsOf(schema, filter);
  // One of the two runs. Where all rows have a timer, the index alone is read.
  const rows = parts.flatMap(({ from, where, except }) =>
    except
      ? [`not ${except.ifAny} and ${where}`, `${except.ifAny} and ${where} and not (${except.where})`].map(
          (all) => `select from ${from} where ${all}`,
        )
      : [`select from ${from} where ${where}`],
  );
  return { text: `select count(*)::int as count from (${rows.join(' union all ')} limit ${COUNTED_TO}) c`, values };
};

/**
 * A page. By itself the planner walks along the time. That is quick if many rows fit, but for a rare kind with timers
 * at the far end it reads the whole table.
 */
export const listSql = (schema: string, filter: TimerFilter, { limit, outOf, after }: TimerPage): Statement => {
  const { parts, values } = partsOf(schema, filter, after);
  const direction = filter.state === 'scheduled' ? 'asc' : 'desc';
  const page = (at: string, id: string): string =>
    `order by ${at} ${direction}, ${id} ${direction} limit ${Math.floor(limit)}`;
  const fitting = parts
    .map(({ from, where, except, at, ref }) => {
      // The planner takes the second condition alone for one that no row fits, and would sort the whole table.
      const others = except ? ` and (not ${except.ifAny} or not (${except.where}))` : '';
      const some = `select r.id, ${at} as at, ${ref} as ref from ${from} where ${where}${others}`;
      return outOf < COUNTED_TO ? `(${some})` : `(${some} ${page(at, 'r.id')})`;
    })
    .join(' union all ');
  const text = `with fitting as materialized (${fitting}),
    found as materialized (select * from fitting ${page('at', 'id')}),
    timers as (${rowsOf(schema, filter)})
    select timers.* from timers join found using (id) order by found.at ${direction}, found.id ${direction}`;
  return { text, values };
};

/** The whole rows of the found ids. */
const rowsOf = (schema: string, { state }: TimerFilter): string => {
  const { timer, scheduled } = timerTables(schema);
  if (state !== 'scheduled') return `select ${OVER} from ${timer} t where t.id in (select id from found)`;
  const { ofOwners, kind, held } = thingTables(schema);
  return `select ${SCHEDULED} from ${scheduled} where d.id in (select id from found)
    union all
    select ${THING} from ${ofOwners('select ref from found where ref is not null')} ${kind} ${held}
    where h.id in (select id from found)`;
};

/** The text has only the given conditions: with `or $1 is null` the planner would not use the indexes. */
const partsOf = (
  schema: string,
  filter: TimerFilter,
  after?: TimerCursor,
): { readonly parts: readonly Part[]; readonly values: readonly unknown[] } => {
  const values: unknown[] = [];
  const given = new Map<string, string>();
  // Both tables' conditions share the parameters.
  const value: Value = (name, one) => {
    const known = given.get(name) ?? `$${values.push(one)}`;
    given.set(name, known);
    return known;
  };
  const parts = filter.state === 'scheduled' ? [dueOf(schema), thingOf(schema)] : [overOf(schema, filter.state)];
  return {
    parts: parts.map(({ conditionsOf, ...part }) => {
      const { kind, owner, error, hasFailed, fromMs, toMs, state } = filter;
      const is = conditionsOf(value);
      const conditions = [
        part.where,
        ...(state === 'dead' || hasFailed ? [is.failed] : []),
        ...(kind === undefined ? [] : [is.kind(kind)]),
        ...(owner === undefined ? [] : [is.owner(owner)]),
        ...(error === undefined ? [] : [is.error(error)]),
        ...(fromMs === undefined ? [] : [`${part.at} >= ${value('from', fromMs)}::bigint`]),
        ...(toMs === undefined ? [] : [`${part.at} < ${value('to', toMs)}::bigint`]),
        ...(after === undefined
          ? []
          : [behind(part.at, state, [value('atMs', after.atMs), value('timerId', after.timerId)])]),
      ];
      return { ...part, where: conditions.join(' and ') };
    }),
    values,
  };
};

const behind = (at: string, state: TimerFilter['state'], [atMs, id]: readonly [string, string]): string =>
  `(${at}, r.id) ${state === 'scheduled' ? '>' : '<'} (${atMs}::bigint, ${id}::bigint)`;

type Value = (name: string, one: string | number) => string;
interface Table extends Part {
  readonly conditionsOf: (value: Value) => {
    readonly failed: string;
    readonly kind: (kind: string) => string;
    readonly owner: (owner: string) => string;
    readonly error: (error: string) => string;
  };
}

const dueOf = (schema: string): Table => {
  const { timer, due } = timerTables(schema);
  return {
    from: `${due} r`,
    where: 'true',
    at: 'r.fire_at',
    ref: 'null::text',
    conditionsOf: (value) => ({
      failed: 'r.attempt > 0',
      kind: (kind) => `r.kind = ${value('kind', kind)}`,
      // An owner's scheduled timers are found in `timer`, because the owner never changes.
      owner: (owner) =>
        `r.id in (select id from ${timer} where owner = ${value('owner', owner)} and state = 'scheduled')`,
      error: (error) => `coalesce(r.last_error, '') = ${value('error', error)}`,
    }),
  };
};

const thingOf = (schema: string): Table => {
  const { thing, hold, anyModule, anyRetired, retired, ofModules } = thingTables(schema);
  const heldBy = (condition: string): string =>
    `exists (select from ${hold} s where s.player_id = r.player_id and r.due_at <= s.updated_at and ${condition})`;
  return {
    from: `${thing} r`,
    where: 'r.due_at is not null',
    except: { ifAny: anyRetired, where: `r.module = any(${retired})` },
    at: 'r.due_at',
    ref: 'r.player_id',
    conditionsOf: (value) => ({
      failed: heldBy('s.attempt > 0'),
      // The first condition is tested once: for an own kind no thing is read.
      kind: (kind) => {
        const named = `kind = ${value('kind', kind)}`;
        return `${anyModule(named)} and r.module = any(${ofModules(named)})`;
      },
      owner: (owner) => `r.player_id = ${value('owner', owner)}`,
      error: (error) =>
        error === '' ? `not ${heldBy("s.last_error <> ''")}` : heldBy(`s.last_error = ${value('error', error)}`),
    }),
  };
};

const overOf = (schema: string, state: TimerFilter['state']): Table => {
  const { timer } = timerTables(schema);
  // As constants, so that the planner can choose partial indexes.
  const ended = state === 'completed' || state === 'cancelled' ? ` and r.state in ('completed', 'cancelled')` : '';
  return {
    from: `${timer} r`,
    where: `r.state = '${state}' and r.state <> 'scheduled'${ended}`,
    at: 'r.updated_at',
    ref: 'null::text',
    conditionsOf: (value) => ({
      failed: 'r.attempt > 0',
      kind: (kind) => `r.kind = ${value('kind', kind)}`,
      owner: (owner) => `r.owner = ${value('owner', owner)}`,
      error: (error) => `coalesce(r.last_error, '') = ${value('error', error)}`,
    }),
  };
};
