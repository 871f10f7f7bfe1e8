import { ANY, OVER, timerTables } from '../timer/timer-tables.ts';

/** The statements of the operators' reads. `schema` is a checked identifier. */
export const opsSql = (schema: string) => {
  const at = (table: string): string => `"${schema}".${table}`;
  const { timer, due } = timerTables(schema);
  return {
    playersByPrefix: `select player_id as id, player_id, 'player' as type, null as module, player_id as label from ${at('home')}
      where player_id like $1 order by player_id limit $2`,

    thingsByTitle: `select thing_id as id, player_id, 'thing' as type, module, title as label from ${at('thing')}
      where lower(title) like lower($1) order by lower(title) using ~<~, player_id, thing_id limit $2`,

    failedGroups: `select state, kind, coalesce(last_error, '') as error, count(*)::int as count,
        max(updated_at) as newest_at
      from (
        select 'stuck' as state, kind, last_error, updated_at from ${due} where attempt > 0 and kind = any($1::text[])
        union all
        select 'dead', kind, last_error, updated_at from ${timer} where state = 'dead' and attempt > 0) failed
      group by 1, 2, 3 order by count desc, kind, error limit $2`,

    counts: `select n.now_ms,
        (select count(*) from ${due})::int as pending,
        (select count(*) from ${due} where fire_at <= n.now_ms)::int as overdue,
        (select min(fire_at) from ${due}) as oldest,
        (select count(*) from ${timer} where state = 'dead' and attempt > 0)::int as dead,
        (select count(*) from ${due} where attempt > 0 and kind = any($1::text[]))::int as stuck,
        (select count(*) from ${at('home')})::int as players
      from (select coalesce($2::bigint, floor(extract(epoch from clock_timestamp()) * 1000)::bigint) as now_ms) n`,

    histogram: `select width_bucket(fire_at, $1::bigint[]) as bucket, count(*)::int as count
      from ${due} group by 1`,

    /** Both rows, in the order in which others lock them. */
    lockTimer: `with d as materialized (select id from ${due} where id = $1 for update)
      select id from ${timer} where id = $1 and (select count(*) from d) >= 0 for update`,
    timer: `select ${ANY} from ${timer} t left join ${due} d on d.id = t.id where t.id = $1`,

    timersOf: `select ${ANY} from ${timer} t left join ${due} d on d.id = t.id where t.owner = $1 order by t.id`,

    lockDead: `with chosen as (
        select id from ${timer} where state = 'dead' and attempt > 0 and kind = $1
          and ($2::text is null or coalesce(last_error, '') = $2) order by updated_at desc limit $3)
      select ${OVER} from ${timer} t where id in (select id from chosen) and state = 'dead' order by id for update`,
  } as const;
};

export type OpsSql = ReturnType<typeof opsSql>;
