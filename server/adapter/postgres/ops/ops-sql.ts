import { nowMs } from '../database.ts';
import { ANY, dueThings, OVER, THING, thingTables, timerTables } from '../timer/timer-tables.ts';

/** The statements of the operators' reads. `schema` is a checked identifier. */
export const opsSql = (schema: string) => {
  const at = (table: string): string => `"${schema}".${table}`;
  const { timer, due } = timerTables(schema);
  const { thing, kind, held, stuck } = thingTables(schema);
  const { pending, late } = dueThings(schema, 'n.now_ms');
  return {
    playersByPrefix: `select player_id as id, player_id, 'player' as type, null as module, player_id as label from ${at('home')}
      where player_id like $1 order by player_id limit $2`,

    thingsByTitle: `select thing_id as id, player_id, 'thing' as type, module, title as label from ${at('thing')}
      where lower(title) like lower($1) order by lower(title) using ~<~, player_id, thing_id limit $2`,

    failedGroups: `select state, kind, coalesce(last_error, '') as error, count(*)::int as count,
        max(updated_at) as newest_at
      from (
        select 'stuck' as state, k.kind, s.last_error, s.updated_at from ${stuck}
        union all
        select 'dead', kind, last_error, updated_at from ${timer} where state = 'dead' and attempt > 0) failed
      group by 1, 2, 3 order by count desc, kind, error limit $1`,

    counts: `select n.now_ms,
        ((select count(*) from ${due}) + ${pending})::int as pending,
        ((select count(*) from ${due} where fire_at <= n.now_ms) + l.count)::int as overdue,
        least((select min(fire_at) from ${due}), l.first_at) as oldest,
        (select count(*) from ${timer} where state = 'dead' and attempt > 0)::int as dead,
        (select count(*) from ${stuck})::int as stuck,
        (select count(*) from ${at('home')})::int as players
      from (select ${nowMs(1)} as now_ms) n
      cross join lateral (${late('')}) l`,

    histogram: `select bucket, sum(count)::int as count from (
        select width_bucket(fire_at, $1::bigint[]) as bucket, count(*) from ${due} group by 1
        union all
        select width_bucket(due_at, $1::bigint[]), count(*) from ${thing} where due_at is not null group by 1
        union all
        select width_bucket(due_at, $1::bigint[]), -count(*) from ${thing} where ${dueThings(schema, '').ofRetired} group by 1) b
      group by 1`,

    /** Locks both rows, in the lock order of other transactions. */
    lockTimer: `with d as materialized (select id from ${due} where id = $1 for update)
      select id from ${timer} where id = $1 and (select count(*) from d) >= 0 for update`,
    timer: `select ${ANY} from ${timer} t left join ${due} d on d.id = t.id where t.id = $1`,

    thing: `select ${THING} from ${thing} h ${kind} ${held} where h.id = $1 and h.due_at is not null`,

    timersOf: `select ${ANY} from ${timer} t left join ${due} d on d.id = t.id where t.owner = $1
      union all
      select ${THING} from ${thing} h ${kind} ${held} where h.player_id = $1 and h.due_at is not null order by id`,

    lockDead: `with chosen as (
        select id from ${timer} where state = 'dead' and attempt > 0 and kind = $1
          and ($2::text is null or coalesce(last_error, '') = $2) order by updated_at desc limit $3)
      select ${OVER} from ${timer} t where id in (select id from chosen) and state = 'dead' order by id for update`,
  } as const;
};
