import { nowMs } from '../database.ts';
import { BOUND_WAIT } from '../transaction.ts';
import { thingSql } from './thing-sql.ts';
import { timerChangeSql } from './timer-change-sql.ts';
import { ANY, IS_DEAD, lookUps, OVER, SCHEDULED, THING, thingTables, timerTables } from './timer-tables.ts';

/**
 * The statements of the timer store. All take arrays, one element per row. The last parameter of statements with a time
 * is null, except in tests, which have their own clock. Rows are locked in the order of their ids: scheduled timers in
 * `timer_due`, dead ones in `timer`.
 */
export const timerSql = (schema: string) => {
  const { timer, due, scheduled } = timerTables(schema);
  const { dueOf, idOfKey, lastOfKey } = lookUps(schema);
  const things = thingTables(schema);
  return {
    schedule: scheduleSql(schema, ''),
    scheduleFree: scheduleSql(schema, BOUND_WAIT),

    ...timerChangeSql(schema, ''),
    // For handlers, which wait for no row: error 55P03 if another transaction has locked it.
    ...suffixed(timerChangeSql(schema, ' nowait')),

    ...thingSql(schema),

    read: `
select n.now_ms, r.* from (select ${nowMs(2)} as now_ms) n
left join (select ${SCHEDULED} from ${scheduled} where d.id = any($1::bigint[])) r on true`,

    scheduledOf: `
select id from ${timer} where owner = any($1::text[]) and state = 'scheduled' and ($2::text[] is null or kind = any($2))`,

    lock: `
with locked as materialized (
  select d.id from unnest($1::bigint[], $2::int[]) as s(id, revision)
  join ${due} d on d.id = s.id and d.revision = s.revision
  order by d.id for update of d skip locked),
-- Counting the locked rows first makes the time later than the last lock.
n as materialized (select count(*), ${nowMs(3)} as now_ms from locked)
select n.now_ms, l.id from n left join locked l on true order by l.id`,

    lockTargets: `
with key as (select * from unnest($2::text[], $3::text[]) as u(kind, subject)),
wanted as materialized (
  select unnest($1::bigint[]) as id union select t.id from key w ${idOfKey} union select t.id from key w ${lastOfKey}),
locked as materialized (
  select d.id from (select id from wanted order by id) w
  cross join lateral (select x.id from ${due} x where x.id = w.id for update) d)
select from (select id from wanted order by id) w
cross join lateral (select x.id from ${timer} x where x.id = w.id and ${IS_DEAD} for update) t
where (select count(*) from locked) >= 0`,

    defer: `
with n as materialized (select ${nowMs(5)} as now_ms),
target as materialized (
  select d.id, w.by_ms, w.claims
  from unnest($1::bigint[], $2::int[], $3::bigint[], $4::int[]) as w(id, revision, by_ms, claims)
  join ${due} d on d.id = w.id and d.revision = w.revision
  order by d.id for update of d skip locked),
-- Lateness counts from the last change: this is none.
deferred as (
  update ${due} d set fire_at = n.now_ms + w.by_ms, claims = d.claims + w.claims,
    claimed_at = case when w.claims > 0 then n.now_ms end, revision = d.revision + 1
  from target w, n where d.id = w.id returning d.*)
select n.now_ms, ${SCHEDULED} from n left join (deferred d join ${timer} t on t.id = d.id) on true`,

    findById: `
select ${ANY} from unnest($1::bigint[]) as w(id)
cross join lateral (select * from ${timer} x where x.id = w.id offset 0) t ${dueOf}`,

    findByKey: `
(select ${ANY} from (select distinct kind, subject from unnest($1::text[], $2::text[]) as u(kind, subject)) w
cross join lateral (
  (select * from ${timer} x where x.kind = w.kind and x.subject = w.subject and x.state = 'scheduled' offset 0)
  union all
  (select * from ${timer} x where x.kind = w.kind and x.subject = w.subject and x.state in ('completed', 'dead')
   order by x.kind desc, x.subject desc, x.id desc limit 1)
) t ${dueOf} order by (t.state = 'scheduled'))
union all
select ${THING} from (select distinct kind, subject from unnest($1::text[], $2::text[]) as u(kind, subject)) w
join "${schema}".timer_kind k on k.kind = w.kind and not k.is_retired
cross join lateral (
  select * from ${things.thing} x where x.player_id = split_part(w.subject, '~', 1) and x.module = k.module
    and x.thing_id = substr(w.subject, strpos(w.subject, '~') + 1) and x.due_at is not null limit 1) h ${things.held}`,

    listByOwners: `
select ${SCHEDULED} from ${scheduled} where t.owner = any($1::text[]) and t.state = 'scheduled'
union all
select ${THING} from ${things.ofOwners('select unnest($1::text[])')} ${things.kind} ${things.heldEach}
order by fire_at, id`,

    listDead: `
select ${OVER} from ${timer} t where t.state = 'dead' and t.attempt > 0 and t.kind = any($1::text[])
order by t.updated_at desc limit $2`,

    // Skips other kinds, but returns the last row of a full page for the next page's cursor.
    overdue: `
select id, owner, at, fire_at, revision, is_wanted, place from (
  select b.*, row_number() over (order by at, id)::int as place from (
    (select id, owner, fire_at as at, fire_at, revision, kind = any($1::text[]) as is_wanted
      from ${due} where (fire_at, id) > ($2::bigint, $3::bigint) and fire_at <= $4 order by fire_at, id limit $5)
    union all
    select h.id, h.player_id, h.due_at, greatest(h.due_at, s.until_at), h.revision,
      h.module = any(${things.ofModules('not is_retired and kind = any($1::text[])')}) and coalesce(s.until_at <= $4, true)
    from (
      select * from ${things.thing} where due_at is not null and (due_at, id) > ($2::bigint, $3::bigint) and due_at <= $4
      order by due_at, id limit $5) h ${things.heldEach}
    order by at, id limit $5) b) looked
where is_wanted or place = $5 order by place`,

    page: `
(select id, owner, fire_at, revision from ${due} where (fire_at, id) > ($1::bigint, $2::bigint)
 order by fire_at, id limit $3)
union all
(select id, player_id, due_at, revision from ${things.thing}
 where due_at is not null and (due_at, id) > ($1::bigint, $2::bigint) and module = any(${things.inUse})
 order by due_at, id limit $3)
order by fire_at, id limit $3`,

    prune: `
with read_to as (
  select coalesce((select updated_at + 1 from ${timer} where state in ('completed', 'cancelled')
    and updated_at >= $1 and updated_at < $2 order by updated_at offset $6 - 1 limit 1), $2::bigint) as at),
gone as (
  delete from ${timer} where id in (
    select id from ${timer} where state in ('completed', 'cancelled')
      and updated_at >= $1 and updated_at < (select at from read_to)
      and (kind = any($3::text[])) <> $4 order by updated_at limit $5 for update skip locked)
  returning id)
select (select at from read_to) as read_to, (select count(*) from gone) as count`,

    pruneDead: `
delete from ${timer} where id in (
  select id from ${timer} where state = 'dead' and attempt > 0 and updated_at < $1
  order by updated_at limit $2 for update skip locked)`,

    // If the command exists, the insert changes nothing and returns the stored result.
    beginCommand: `
insert into "${schema}".timer_command as c (id, hash, at) values ($1, ${HASH}, ${nowMs(3)})
on conflict (id) do update set at = c.at returning c.hash = ${HASH} as is_same, c.answer`,
    dropCommand: `delete from "${schema}".timer_command where id = $1 and answer is null`,
    endCommand: `update "${schema}".timer_command set answer = $2 where id = $1`,
    pruneCommands: `
delete from "${schema}".timer_command where id in (
  select id from "${schema}".timer_command where at < $1 order by at limit $2 for update skip locked)`,

    // A module's kind is its present one.
    registerKinds: `
with wanted as materialized (
  select * from unnest($1::text[], $2::bigint[], $3::text[], $4::boolean[]) as w(kind, retention_ms, module, is_retired)),
renamed as (
  update "${schema}".timer_kind k set module = null, is_retired = false
  from wanted w where k.module = w.module and k.kind <> w.kind)
insert into "${schema}".timer_kind as k (kind, retention_ms, module, is_retired, registered_at)
select w.*, ${nowMs(5)} from wanted w order by w.kind
on conflict (kind) do update
set retention_ms = excluded.retention_ms, module = excluded.module, is_retired = excluded.is_retired
where (k.retention_ms, k.module, k.is_retired) is distinct from
  (excluded.retention_ms, excluded.module, excluded.is_retired)`,
    retentions: `select kind, retention_ms from "${schema}".timer_kind where retention_ms is not null`,
    registeredKinds: `select kind, module is not null as is_derived from "${schema}".timer_kind`,

    pause: `insert into "${schema}".timer_pause (kind, paused_at) values ($1, ${nowMs(2)}) on conflict do nothing`,
    resume: `delete from "${schema}".timer_pause where kind = $1`,
    paused: `select kind from "${schema}".timer_pause`,
  };
};

/** Ids come first: they find the other row, even if a key occurs twice. */
const scheduleSql = (schema: string, bound: string): string => {
  const { timer, due } = timerTables(schema);
  return `
with wanted as materialized (
  select nextval('"${schema}".timer_id_seq') as id, w.* from (
    select u.*, n.now_ms, coalesce(u.at_ms, n.now_ms + u.in_ms) as due_at
    from unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::jsonb[], $7::jsonb[], $8::jsonb[])
      with ordinality as u(kind, subject, owner, at_ms, in_ms, payload, recurrence, misfire, place),
      (select ${nowMs(9)} as now_ms${bound}) n
    order by kind, subject, place) w),
added as (
  insert into ${timer} (id, kind, subject, owner, payload, recurrence, misfire, created_at) overriding system value
  select w.id, w.kind, w.subject, w.owner, w.payload, nullif(w.recurrence, 'null'), w.misfire, w.now_ms from wanted w
  on conflict (kind, subject) where state = 'scheduled' do nothing
  returning id, kind, subject, created_at),
armed as (
  insert into ${due} (id, kind, owner, fire_at, due_at, updated_at)
  select w.id, w.kind, w.owner, w.due_at, w.due_at, a.created_at from wanted w join added a on a.id = w.id)
select * from added`;
};

/** Equal for equal JSON, whatever the order of its properties. */
const HASH = "encode(sha256(convert_to($2::jsonb::text, 'UTF8')), 'base64')";

export type TimerStatement = keyof ReturnType<typeof timerSql>;

/** Statements that lock rows of others; each has a variant `...Free` that does not wait. */
export type LockingStatement = keyof ReturnType<typeof timerChangeSql>;

type Suffixed<Statements> = { [Name in keyof Statements & string as `${Name}Free`]: string };

const suffixed = <Statements extends Readonly<Record<string, string>>>(statements: Statements) =>
  Object.fromEntries(Object.entries(statements).map(([name, text]) => [`${name}Free`, text])) as Suffixed<Statements>;
