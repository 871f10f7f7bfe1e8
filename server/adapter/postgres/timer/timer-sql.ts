/**
 * The statements of the timer store. All take arrays, one element a row. The last parameter of those that need the
 * time is null, but in tests, which bring their own clock. Rows are locked in the order of their ids.
 */
export const timerSql = (schema: string) => {
  const timer = `"${schema}".timer`;
  return {
    now: `select ${nowMs(1)} as now_ms`,

    schedule: `
insert into ${timer} (kind, subject, owner, due_at, fire_at, payload, created_at, updated_at)
select w.kind, w.subject, w.owner, w.due_at, w.due_at, w.payload, n.now_ms, n.now_ms
from unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::jsonb[])
  with ordinality as w(kind, subject, owner, due_at, payload, place),
  (select ${nowMs(6)} as now_ms) n
order by w.kind, w.subject, w.place
on conflict (kind, subject) where state = 'scheduled' do nothing
returning id, kind, subject, created_at`,

    ...locking(timer, ''),
    // For handlers, which wait for no row: error 55P03 when another has it.
    ...suffixed(locking(timer, ' nowait')),

    changeDerived: `
with finishing as materialized (
  select t.id, w.state, w.result
  from unnest($1::text[], $2::text[], $3::text[], $4::jsonb[]) as w(kind, subject, state, result)
  cross join lateral (select * from ${timer} x where x.kind = w.kind and x.subject = w.subject and x.state = 'scheduled' limit 1 for update) t
  order by t.id),
finished as (
  update ${timer} t set state = f.state, result = f.result, revision = t.revision + 1, updated_at = $12
  from finishing f where t.id = f.id returning t.id, t.owner, t.fire_at, t.revision),
moving as materialized (
  select t.id, w.due_at
  from unnest($5::text[], $6::text[], $7::bigint[]) as w(kind, subject, due_at)
  cross join lateral (select * from ${timer} x where x.kind = w.kind and x.subject = w.subject and x.state = 'scheduled' limit 1 for update) t
  order by t.id),
moved as (
  update ${timer} t set due_at = m.due_at, fire_at = m.due_at, attempt = 0, last_error = null,
    revision = t.revision + 1, updated_at = $12
  from moving m where t.id = m.id returning t.id, t.owner, t.fire_at, t.revision),
added as (
  insert into ${timer} (kind, subject, owner, due_at, fire_at, created_at, updated_at)
  select w.kind, w.subject, w.owner, w.due_at, w.due_at, $12, $12
  from unnest($8::text[], $9::text[], $10::text[], $11::bigint[]) as w(kind, subject, owner, due_at)
  -- After the others: a key may be finished and scheduled anew in one statement.
  where (select count(*) from finished) >= 0
  on conflict (kind, subject) where state = 'scheduled' do update
    set due_at = excluded.due_at, fire_at = excluded.fire_at, attempt = 0, last_error = null,
      revision = timer.revision + 1, updated_at = excluded.updated_at
  returning id, owner, fire_at, revision)
select true as is_over, * from finished
union all select false, * from moved
union all select false, * from added`,

    read: `select n.now_ms, t.* from (select ${nowMs(2)} as now_ms) n left join ${timer} t on t.id = any($1::bigint[])`,

    lock: `
with locked as materialized (
  select t.* from unnest($1::bigint[], $2::int[]) as s(id, revision)
  join ${timer} t on t.id = s.id and t.revision = s.revision and t.state = 'scheduled'
  order by t.id for update of t skip locked),
-- Counting the locked rows first makes the time later than the last lock.
n as materialized (select count(*), ${nowMs(3)} as now_ms from locked)
select n.now_ms, l.* from n left join locked l on true order by l.id`,

    defer: `
with n as materialized (select ${nowMs(5)} as now_ms),
target as materialized (
  select t.id, w.by_ms, w.claims
  from unnest($1::bigint[], $2::int[], $3::bigint[], $4::int[]) as w(id, revision, by_ms, claims)
  join ${timer} t on t.id = w.id and t.revision = w.revision and t.state = 'scheduled'
  order by t.id for update of t skip locked),
-- Lateness counts from the last change: this is none.
deferred as (
  update ${timer} t set fire_at = n.now_ms + w.by_ms, claims = t.claims + w.claims, revision = t.revision + 1
  from target w, n where t.id = w.id returning t.*)
select n.now_ms, d.* from n left join deferred d on true`,

    findById: `select * from ${timer} where id = any($1::bigint[])`,

    findByKey: `
select f.* from (select distinct kind, subject from unnest($1::text[], $2::text[]) as u(kind, subject)) w
cross join lateral (
  (select * from ${timer} t where t.kind = w.kind and t.subject = w.subject and t.state = 'scheduled')
  union all
  (select * from ${timer} t where t.kind = w.kind and t.subject = w.subject and t.state in ('completed', 'dead')
   order by t.kind desc, t.subject desc, t.id desc limit 1)
) f order by (f.state = 'scheduled')`,

    listByOwners: `select * from ${timer} where owner = any($1::text[]) and state = 'scheduled' order by fire_at, id`,

    listFailed: `
select * from ${timer} where state = $1 and state in ('scheduled', 'dead') and attempt > 0 and kind = any($2::text[])
order by updated_at desc limit $3`,

    // Rows of other kinds are looked at and left there; of a full page the last one comes along, to go on behind it.
    overdue: `
select id, owner, fire_at, revision, is_wanted, place from (
  select id, owner, fire_at, revision, kind = any($1::text[]) as is_wanted,
    row_number() over (order by fire_at, id)::int as place
  from ${timer} where state = 'scheduled' and (fire_at, id) > ($2::bigint, $3::bigint) and fire_at <= $4
  order by fire_at, id limit $5) looked
where is_wanted or place = $5 order by place`,

    page: `
select id, owner, fire_at, revision from ${timer} where state = 'scheduled' and (fire_at, id) > ($1::bigint, $2::bigint)
order by fire_at, id limit $3`,

    prune: `
delete from ${timer} where id in (
  select id from ${timer} where state in ('completed', 'cancelled') and updated_at < $1
  order by updated_at limit $2 for update skip locked)`,

    registerKinds: `
insert into "${schema}".timer_kind (kind, registered_at) select k.kind, ${nowMs(2)} from unnest($1::text[]) as k(kind)
order by k.kind on conflict do nothing`,
    registeredKinds: `select kind from "${schema}".timer_kind`,

    pause: `insert into "${schema}".timer_pause (kind, paused_at) values ($1, ${nowMs(2)}) on conflict do nothing`,
    resume: `delete from "${schema}".timer_pause where kind = $1`,
    paused: `select kind from "${schema}".timer_pause`,
  };
};

export type TimerSql = ReturnType<typeof timerSql>;

/** Statements that lock rows of others; there is a second one of each, called `...Free`, that does not wait. */
export type LockingStatement = keyof ReturnType<typeof locking>;

type Suffixed<Statements> = { [Name in keyof Statements & string as `${Name}Free`]: string };

const suffixed = <Statements extends Readonly<Record<string, string>>>(statements: Statements) =>
  Object.fromEntries(Object.entries(statements).map(([name, text]) => [`${name}Free`, text])) as Suffixed<Statements>;

/** `wait`: what stands behind `for update`. */
const locking = (timer: string, wait: '' | ' nowait') => ({
  changeById: change({
    timer,
    wait,
    clock: 4,
    derived: 5,
    join: 't.id = w.id',
    wanted: 'unnest($1::bigint[], $2::text[], $3::bigint[]) as w(id, change, value)',
  }),

  changeByKey: change({
    timer,
    wait,
    clock: 5,
    derived: 6,
    join: 't.kind = w.kind and t.subject = w.subject',
    wanted: 'unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) as w(kind, subject, change, value)',
  }),

  cancelByOwner: `
with target as materialized (
  select id from ${timer} where owner = any($1::text[]) and state = 'scheduled' and kind <> all($2::text[])
    and id <> all($4::bigint[])
  order by id for update${wait})
update ${timer} t set state = 'cancelled', revision = t.revision + 1, updated_at = ${nowMs(3)}
from target where t.id = target.id returning t.*`,

  // A due time in it is the one of the next turn.
  save: `
with target as materialized (
  select t.id, w.state, w.fire_at, w.attempt, w.last_error, w.result, w.due_at, w.payload
  from unnest($1::bigint[], $2::int[], $3::text[], $4::bigint[], $5::int[], $6::text[], $7::jsonb[], $8::bigint[],
    $9::jsonb[]) as w(id, revision, state, fire_at, attempt, last_error, result, due_at, payload)
  join ${timer} t on t.id = w.id and t.revision = w.revision and t.state in ('scheduled', 'dead')
  -- A dead timer's key may have been taken since.
  where t.state = 'scheduled' or w.state <> 'scheduled' or not exists (
    select from ${timer} o where o.kind = t.kind and o.subject = t.subject and o.state = 'scheduled')
  order by t.id for update of t${wait})
update ${timer} t set state = w.state, fire_at = w.fire_at, attempt = w.attempt, claims = 0, last_error = w.last_error,
  result = w.result, due_at = coalesce(w.due_at, t.due_at), turn = t.turn + (w.due_at is not null)::int,
  payload = coalesce(w.payload, t.payload), revision = t.revision + 1, updated_at = ${nowMs(10)}
from target w where t.id = w.id returning t.*`,
});

const CLOCK_MS = 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint';

/** Sent along with the begin of a transaction: the time, without a round trip of its own. */
export const TELL_TIME = `select ${CLOCK_MS} as now_ms`;

/** The time of Postgres, floored to milliseconds, or the test's own. */
const nowMs = (parameter: number): string => `coalesce($${parameter}::bigint, ${CLOCK_MS})`;

interface ChangeSql {
  readonly timer: string;
  readonly wait: '' | ' nowait';
  readonly wanted: string;
  readonly join: string;
  /** Numbers of parameters. */
  readonly clock: number;
  readonly derived: number;
}

/** One statement for three changes, so that a batch of calls is one round trip. A shift counts from the due time. */
const change = ({ timer, wait, wanted, join, clock, derived }: ChangeSql): string => `
with target as materialized (
  select t.id, w.change,
    case w.change when 'reschedule' then w.value when 'shift' then t.due_at + w.value else t.due_at end as due_at
  from ${wanted} join ${timer} t on ${join} and t.state = 'scheduled' and t.kind <> all($${derived}::text[])
  order by t.id for update of t${wait})
update ${timer} t set due_at = w.due_at,
  fire_at = case w.change when 'cancel' then t.fire_at else w.due_at end,
  state = case w.change when 'cancel' then 'cancelled' else 'scheduled' end,
  attempt = case w.change when 'cancel' then t.attempt else 0 end,
  last_error = case w.change when 'cancel' then t.last_error end,
  claims = 0,
  revision = t.revision + 1, updated_at = ${nowMs(clock)}
from target w where t.id = w.id returning t.*`;
