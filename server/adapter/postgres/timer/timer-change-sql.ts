import { PAUSED_UNTIL_MS } from '../../../timer/model/timer.ts';
import type { ChangeOfMany } from '../../../timer/model/timer-changes.ts';
import { nowMs } from '../database.ts';
import { BOUND_WAIT } from '../transaction.ts';
import { saveSql } from './save-sql.ts';
import { CARRIED, IS_DEAD, KEPT_HERE, keptOf, lookUps, OVER, RENEWED, SCHEDULED, timerTables } from './timer-tables.ts';

/** Statements that lock rows of others. `wait`: the text after `for update`. */
export const timerChangeSql = (schema: string, wait: '' | ' nowait') => {
  const { timer, due } = timerTables(schema);
  const { idOfKey, lastOfKey, lockedById } = lookUps(schema, wait);
  const bound = wait === '' ? '' : BOUND_WAIT;
  const byId = 'unnest($1::bigint[], $2::text[], $3::bigint[], $5::jsonb[]) as w(id, change, value, result)';
  const byKey =
    'unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $6::jsonb[]) as w(kind, subject, change, value, result)';
  return {
    changeById: change(schema, { wait, clock: 4, wanted: `select * from ${byId}`, dead: `select * from ${byId}` }),

    changeByKey: change(schema, {
      wait,
      clock: 5,
      wanted: `select t.id, w.change, w.value, w.result from ${byKey} ${idOfKey}`,
      dead: `select t.id, w.change, w.result from ${byKey} ${lastOfKey}
    where (w.kind, w.subject) not in (select t_kind, t_subject from target) and not exists (
      select from ${timer} o where o.kind = w.kind and o.subject = w.subject and o.state = 'scheduled')`,
    }),

    changeByOwner: changed(schema, {
      target: `
  select d.id, ${KEPT_HERE}, $4::text as change, $5::bigint as value, null::jsonb as result, false as is_another
  from ${timer} t join ${due} d on d.id = t.id
  where t.owner = any($1::text[]) and t.state = 'scheduled' and t.id not in (select unnest($3::bigint[]))
    and ($6::text[] is null or t.kind = any($6))
  order by d.id for update of d${wait}`,
      clock: 2,
    }),

    changeByKind: changed(schema, {
      target: `
  select d.id, ${KEPT_HERE}, $4::text as change, $5::bigint as value, null::jsonb as result, false as is_another
  from ${due} d join ${timer} t on t.id = d.id
  where d.kind = any($1::text[]) and d.id <> all($3::bigint[]) and d.id > $6
  order by d.id limit $7 for update of d${wait}`,
      clock: 2,
    }),

    // Each key occurs once. Rows that are missing, or no longer scheduled, are added.
    scheduleOrMove: `
with wanted as materialized (
  select * from unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::jsonb[], $7::jsonb[], $8::jsonb[])
    as w(kind, subject, owner, at_ms, in_ms, payload, recurrence, misfire)),
target as materialized (
  select ${KEPT_HERE}, w.*, ${isAnother('w.payload', 't.payload')} as is_another
  from (select t.id, w.* from wanted w ${idOfKey} order by t.id) w ${lockedById}),
${timeAfter('target', 9, bound)},
moved as (
  update ${due} d set turn = d.turn + w.is_another::int, due_at = coalesce(w.at_ms, n.now_ms + w.in_ms),
    fire_at = case when ${PAUSED} then d.fire_at else greatest(coalesce(w.at_ms, n.now_ms + w.in_ms), n.now_ms) end,
    payload = coalesce(w.payload, d.payload), attempt = 0, last_error = null, claims = 0, claimed_at = null,
    revision = d.revision + 1, updated_at = n.now_ms
  from target w, n where d.id = w.id and d.owner = w.owner returning ${CARRIED}),
renewed as (
  update ${timer} t set misfire = coalesce(w.misfire, t.misfire),
    recurrence = ${oneMore(`nullif(coalesce(w.recurrence, t.recurrence), 'null')`)}
  from target w where t.id = w.id and t.owner = w.owner
    and (w.recurrence is not null or w.misfire is not null or w.is_another and t.recurrence is not null)
  returning t.id, t.recurrence, t.misfire),
adding as materialized (
  select nextval('"${schema}".timer_id_seq') as id, w.*, coalesce(w.at_ms, n.now_ms + w.in_ms) as due_at, n.now_ms
  from (select * from wanted order by kind, subject) w, n
  where not exists (select from target o where o.kind = w.kind and o.subject = w.subject)),
added as (
  insert into ${timer} (id, kind, subject, owner, payload, recurrence, misfire, created_at) overriding system value
  select id, kind, subject, owner, payload, nullif(recurrence, 'null'), misfire, now_ms from adding
  on conflict (kind, subject) where state = 'scheduled' do nothing returning *),
armed as (
  insert into ${due} (id, kind, owner, fire_at, due_at, updated_at)
  select w.id, w.kind, w.owner, w.due_at, w.due_at, w.now_ms from adding w join added a on a.id = w.id returning *)
${MOVED_ROWS}
union all select ${SCHEDULED} from armed d join added t on t.id = d.id`,

    save: saveSql(schema, wait),
    saveRenewed: saveSql(schema, wait, true),

    // Another timer may have taken its key since.
    revive: `
with wanted as materialized (
  select distinct on (t.kind, t.subject) w.id, w.revision
  from unnest($1::bigint[], $2::int[]) with ordinality as w(id, revision, place)
  cross join lateral (select * from ${timer} x where x.id = w.id offset 0) t order by t.kind, t.subject, w.place),
target as materialized (
  select t.* from (select * from wanted order by id) w cross join lateral (
    select * from ${timer} x where x.id = w.id and x.revision = w.revision and ${IS_DEAD} and not exists (
      select from ${timer} o where o.kind = x.kind and o.subject = x.subject and o.state = 'scheduled')
    for update${wait}) t),
n as materialized (select ${nowMs(3)} as now_ms${bound}),
revived as (
  update ${timer} t set state = 'scheduled', result = null, due_at = null, fire_at = null, updated_at = null,
    revision = null, attempt = null, turn = null, last_error = null
  from target w, n where t.id = w.id returning t.*),
armed as (
  insert into ${due} (id, kind, owner, fire_at, due_at, revision, turn, updated_at, last_error, lateness)
  select w.id, w.kind, w.owner, n.now_ms, w.due_at, w.revision + 1, w.turn, n.now_ms, w.last_error,
    w.lateness
  from target w, n returning *)
select ${SCHEDULED} from armed d join revived t on t.id = d.id`,
  };
};

interface ChangeSql {
  readonly wait: '' | ' nowait';
  /** Selects the ids of the timers with `change`, `value` and `result`. */
  readonly wanted: string;
  /** Selects the ids of timers that may be dead, with `change` and `result`. May leave out those in `target`. */
  readonly dead: string;
  /** Number of a parameter. */
  readonly clock: number;
}

/** One statement for all changes, so that a batch of calls is one round trip. */
const change = (schema: string, { wait, wanted, dead, clock }: ChangeSql): string =>
  changed(schema, {
    target: `
  select d.id, ${KEPT_HERE}, w.change, w.value, w.result,
    w.change = 'set-payload' and ${isAnother('w.result', 't.payload')} as is_another
  from (${wanted} order by id) w ${lookUps(schema, wait).lockedById} where w.change <> 'resume' or ${PAUSED}`,
    dead: `
  select t.id, w.change, w.result
  from (select * from (${dead}) w where ${ENDS} and id not in (select id from target) order by id) w
  cross join lateral (select x.id from ${timerTables(schema).timer} x where x.id = w.id and ${IS_DEAD} for update${wait}) t`,
    clock,
  });

/** The row `d` is paused. */
const PAUSED = `d.fire_at = ${PAUSED_UNTIL_MS}`;
const MOVES = `w.change in ('reschedule', 'reschedule-in', 'shift', 'fire-now')`;
const ENDS = `w.change in ('cancel', 'complete')`;

/**
 * The due time of the row `d` after the change `w` at the time `n`. A shift counts from the due time. So does the next
 * turn of a recurrence, even if this turn fires now.
 */
const DUE_AT = `case w.change when 'reschedule' then w.value
    when 'reschedule-in' then n.now_ms + w.value when 'shift' then d.due_at + w.value
    when 'fire-now' then case when w.t_recurrence is not null then d.due_at else n.now_ms end
    else d.due_at end`;

/** Whether the given payload differs from that of the row `d`, or from `kept`: then it is a new order, hence a new turn. */
const isAnother = (payload: string, kept: string): string =>
  `(${payload} is not null and ${payload} is distinct from coalesce(d.payload, ${kept}))`;

/** A recurrence as JSON, with one more of its `times` if `w` makes a turn that does not count. */
const oneMore = (recurrence: string): string => {
  const times = `array[case when ${recurrence} ? 'every' then 'every' else 'cron' end, 'times']`;
  const more = `jsonb_set(${recurrence}, ${times}, to_jsonb((${recurrence} #>> ${times})::bigint + 1))`;
  return `case when w.is_another then coalesce(${more}, ${recurrence}) else ${recurrence} end`;
};

const MOVED_ROWS = `select ${RENEWED} from moved m left join renewed r on r.id = m.id`;

/** The row `t` of `timer` after `e` ended it at the time `n`. If the kind retains no rows, it is returned and deleted. */
const ENDED = {
  state: `case e.change when 'cancel' then 'cancelled' else 'completed' end`,
  result: 'e.result',
  due_at: 'e.due_at',
  fire_at: 'e.fire_at',
  revision: 'e.revision + 1',
  turn: 'e.turn',
  attempt: 'e.attempt',
  last_error: 'e.last_error',
  payload: 'coalesce(e.payload, t.payload)',
  lateness: 'e.lateness',
  updated_at: 'n.now_ms',
};

const assigned = (columns: object): string =>
  Object.entries(columns)
    .map(([column, value]) => `${column} = ${value}`)
    .join(', ');

const named = (columns: object): string =>
  Object.entries(columns)
    .map(([column, value]) => `${value} as ${column}`)
    .join(', ');

/** Counts the locked rows first, so that the time is later than the last lock. */
const timeAfter = (locked: string, clock: number, bound = ''): string =>
  `n as materialized (select count(*), ${nowMs(clock)} as now_ms${bound} from ${locked})`;

interface ChangedSql {
  /** Locks the rows; selects their ids, each with `KEPT_HERE`, `change`, `value`, `result` and `is_another`. */
  readonly target: string;
  /** Locks the dead rows to end, after those of `target`; selects their ids, `change` and `result`. */
  readonly dead?: string;
  /** Number of a parameter. */
  readonly clock: number;
}

/** Does in SQL what `changedTimer` does. */
const changed = (schema: string, { target, dead, clock }: ChangedSql): string => {
  const { timer, due } = timerTables(schema);
  const { kept, forgotten } = keptOf(schema);
  const buried = `,
dead as materialized (${dead}),
buried as (
  update ${timer} t set state = ${ENDED.state}, result = e.result, revision = t.revision + 1, updated_at = ${nowMs(clock)}
  from dead e where t.id = e.id returning t.*)`;
  return `
with target as materialized (${target}),
${timeAfter('target', clock)},
moved as (
  update ${due} d set due_at = ${DUE_AT}, turn = d.turn + w.is_another::int,
    payload = case when w.change = 'set-payload' then w.result else d.payload end,
    fire_at = case when w.change = 'pause' then ${PAUSED_UNTIL_MS} when w.change = 'fire-now' then n.now_ms
      when w.change = 'resume' then greatest(d.due_at, n.now_ms)
      -- Its call, which is aborted, was claimed to beyond its end.
      when w.change = 'set-payload' and d.claims > 0 then n.now_ms
      when ${MOVES} and not ${PAUSED} then greatest(${DUE_AT}, n.now_ms) else d.fire_at end,
    attempt = case when ${MOVES} then 0 else d.attempt end,
    last_error = case when not ${MOVES} then d.last_error end,
    claims = 0, claimed_at = null, revision = d.revision + 1, updated_at = n.now_ms
  from target w, n where d.id = w.id and not ${ENDS} returning ${CARRIED}),
renewed as (
  update ${timer} t set recurrence = ${oneMore('t.recurrence')}
  from target w where w.is_another and t.id = w.id and t.recurrence is not null
  returning t.id, t.recurrence, t.misfire),
ended as (
  delete from ${due} d using target w where d.id = w.id and ${ENDS} returning d.*, w.change, w.result),
over as (
  update ${timer} t set ${assigned(ENDED)} from ended e, n where t.id = e.id and ${kept} returning t.*),
forgotten as (
  delete from ${timer} t using ended e, n where t.id = e.id and ${forgotten}
  returning t.id, t.kind, t.subject, t.owner, t.created_at, t.recurrence, t.misfire, ${named(ENDED)})${dead ? buried : ''}
${MOVED_ROWS} union all select ${OVER} from over t union all select ${OVER} from forgotten t${dead ? ` union all select ${OVER} from buried t` : ''}`;
};

/** The second to fifth parameters of changes of many timers. */
export const manyColumns = (
  change: ChangeOfMany,
  exceptIds: readonly string[],
  datedMs: number | null,
): readonly unknown[] => [datedMs, exceptIds, change.change, change.change === 'shift' ? change.byMs : null];
