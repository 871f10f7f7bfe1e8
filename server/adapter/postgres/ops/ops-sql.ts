import { LATEST_MS } from '../../../../shared/latest-ms.ts';
import { BUCKET_COUNTED_TO, COUNTED_TO } from '../../../timer/model/timer-counts.ts';
import { nowMs } from '../database.ts';
import { ANY, dueThings, OVER, THING, thingTables, timerTables } from '../timer/timer-tables.ts';

/** Beside `ALONG_INDEXES`: statements that read no more than `COUNTED_TO` rows of each count, however many there are. */
export const boundedSql = (schema: string) => {
  const at = (table: string): string => `"${schema}".${table}`;
  const { timer, due } = timerTables(schema);
  const { stuck } = thingTables(schema);
  const { rows, late } = dueThings(schema, 'n.now_ms');
  const upTo = (some: string, most = COUNTED_TO): string => `(select count(*)::int from (${some} limit ${most}) c)`;
  return {
    /** Of things with the same title any are found. */
    thingsByTitle: `select * from (
        select thing_id as id, player_id, 'thing' as type, module, title as label from ${at('thing')}
        where lower(title) like lower($1) order by lower(title) using ~<~ limit $2) found
      order by lower(label) using ~<~, player_id, id`,

    counts: `select n.now_ms,
        ${upTo(`select from ${due} union all ${rows('due_at is not null')}`)} as pending,
        least(${COUNTED_TO}, ${upTo(`select from ${due} where fire_at <= n.now_ms`)} + l.count)::int as overdue,
        least((select min(fire_at) from ${due}), l.first_at) as oldest,
        (select count(*) from ${timer} where state = 'dead' and attempt > 0)::int as dead,
        (select count(*) from ${stuck})::int as stuck,
        ${upTo(`select from ${at('home')}`)} as players
      from (select ${nowMs(1)} as now_ms) n
      cross join lateral (${late(`limit ${COUNTED_TO}`)}) l`,

    histogram: `select ${upTo(
      `select from ${due} where fire_at >= b.from_ms and fire_at < b.to_ms
          union all ${rows('due_at >= b.from_ms and due_at < b.to_ms')}`,
      BUCKET_COUNTED_TO,
    )} as count
      from unnest(array_prepend(${-LATEST_MS}, $1::bigint[]), array_append($1::bigint[], ${LATEST_MS})) with ordinality
        as b(from_ms, to_ms, place) order by place`,

    failedGroups: `select state, kind, coalesce(last_error, '') as error, count(*)::int as count,
        max(updated_at) as newest_at
      from (
        select 'stuck' as state, k.kind, s.last_error, s.updated_at from ${stuck}
        union all
        select 'dead', kind, last_error, updated_at from ${timer} where state = 'dead' and attempt > 0) failed
      group by 1, 2, 3 order by count desc, kind, error limit $1`,
  };
};

/** For these statements: the planner knows few rows of a young database, and would read or sort whole tables. */
export const ALONG_INDEXES =
  'set local enable_seqscan = off; set local enable_bitmapscan = off; set local max_parallel_workers_per_gather = 0; ';

/** The other statements of the operators' reads. `schema` is a checked identifier. */
export const opsSql = (schema: string) => {
  const at = (table: string): string => `"${schema}".${table}`;
  const { timer, due } = timerTables(schema);
  const { thing, kind, held } = thingTables(schema);
  return {
    playersByPrefix: `select player_id as id, player_id, 'player' as type, null as module, player_id as label from ${at('home')}
      where player_id like $1 order by player_id limit $2`,

    /** Locks both rows, in the lock order of other transactions. */
    lockTimer: `with d as materialized (select id from ${due} where id = $1 for update)
      select id from ${timer} where id = $1 and (select count(*) from d) >= 0 for update`,
    timer: `select ${ANY} from ${timer} t left join ${due} d on d.id = t.id where t.id = $1`,

    thing: `select ${THING} from ${thing} h ${kind} ${held} where h.id = $1 and h.due_at is not null`,

    timersOf: `select ${ANY} from ${timer} t left join ${due} d on d.id = t.id where t.owner = $1
      union all
      select ${THING} from ${thing} h ${kind} ${held} where h.player_id = $1 and h.due_at is not null order by id`,

    lockDead: `with chosen as (
        select id from ${timer} d where state = 'dead' and attempt > 0 and kind = $1
          and ($2::text is null or coalesce(last_error, '') = $2)
          and not exists (select from ${timer} o where o.kind = d.kind and o.subject = d.subject and o.state = 'scheduled')
        order by updated_at desc limit $3)
      select ${OVER} from ${timer} t where id in (select id from chosen) and state = 'dead' order by id for update`,
  } as const;
};
