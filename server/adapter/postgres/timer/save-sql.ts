import type { TimerUpdate } from '../../../timer/model/timer-store.ts';
import { nowMs } from '../database.ts';
import { jsonOf } from './timer-row.ts';
import { keptOf, timerTables } from './timer-tables.ts';

/**
 * The statement that updates rows after a fire. If a timer comes again, due time and turn are those of the coming turn.
 * With `renews` the recurrences are another parameter, before the time.
 */
export const saveSql = (schema: string, wait: '' | ' nowait', renews = false): string => {
  const { timer, due } = timerTables(schema);
  const { kept, forgotten } = keptOf(schema);
  const [clock, json, column] = renews ? [13, ', $12::jsonb[]', ', recurrence'] : [12, '', ''];
  const renewed = `renewed as (
  update ${timer} t set recurrence = w.recurrence from target w where t.id = w.id and w.recurrence is not null),`;
  return `
with target as materialized (
  select d.id, w.state, w.fire_at, w.attempt, w.last_error, w.result, w.due_at, w.turn, w.payload, w.lateness${renews ? ', w.recurrence' : ''}
  from unnest($1::bigint[], $2::int[], $3::text[], $4::bigint[], $5::int[], $6::text[], $7::jsonb[], $8::bigint[],
    $9::int[], $10::jsonb[], $11::jsonb[]${json})
    as w(id, revision, state, fire_at, attempt, last_error, result, due_at, turn, payload, lateness${column})
  join ${due} d on d.id = w.id and d.revision = w.revision
  order by d.id for update of d${wait}),
${renews ? renewed : ''}
stayed as (
  update ${due} d set fire_at = w.fire_at, attempt = w.attempt, claims = 0, claimed_at = null,
    last_error = w.last_error, due_at = coalesce(w.due_at, d.due_at), turn = coalesce(w.turn, d.turn),
    payload = coalesce(w.payload, d.payload), lateness = coalesce(w.lateness, d.lateness),
    revision = d.revision + 1, updated_at = ${nowMs(clock)}
  from target w where d.id = w.id and w.state = 'scheduled' returning d.id, d.owner, d.fire_at, d.revision),
ended as (
  delete from ${due} d using target w where d.id = w.id and w.state <> 'scheduled'
  returning d.id, w.state, w.result, coalesce(w.due_at, d.due_at) as due_at, w.fire_at, d.revision,
    coalesce(w.turn, d.turn) as turn, w.attempt, w.last_error, d.payload,
    coalesce(w.lateness, d.lateness) as lateness),
over as (
  update ${timer} t set state = e.state, result = e.result, due_at = e.due_at, fire_at = e.fire_at,
    revision = e.revision + 1, turn = e.turn, attempt = e.attempt, last_error = e.last_error,
    payload = coalesce(e.payload, t.payload), lateness = e.lateness, updated_at = ${nowMs(clock)}
  from ended e where t.id = e.id and (e.state = 'dead' or ${kept}) returning t.id, t.owner, t.fire_at, t.revision, t.state),
forgotten as (
  delete from ${timer} t using ended e where t.id = e.id and e.state <> 'dead' and ${forgotten}
  returning t.id, t.owner, e.fire_at, e.revision + 1 as revision, e.state)
select *, 'scheduled' as state from stayed union all select * from over union all select * from forgotten`;
};

/** The parameters of `save` without the time. */
export const updateColumns = (updates: readonly TimerUpdate[]): readonly unknown[] => [
  updates.map((update) => update.timerId),
  updates.map((update) => update.revision),
  updates.map((update) => update.state),
  updates.map((update) => update.fireAtMs),
  updates.map((update) => update.attempt),
  updates.map((update) => update.lastError ?? null),
  updates.map((update) => jsonOf(update.result)),
  updates.map((update) => update.again?.dueAtMs ?? null),
  updates.map((update) => update.again?.turn ?? null),
  updates.map((update) => jsonOf(update.again?.payload)),
  updates.map((update) => jsonOf(update.lateness)),
];

/** The extra parameter of `saveRenewed`, before the time; none if no recurrence changes. */
export const renewedColumns = (updates: readonly TimerUpdate[]): readonly unknown[] =>
  updates.some(({ again }) => again?.recurrence) ? [updates.map(({ again }) => jsonOf(again?.recurrence))] : [];
