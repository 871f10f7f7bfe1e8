import { OLDEST_OPEN } from '../open-transactions.ts';

/** The statements of the retention. `schema` is a checked identifier. */
export const retainedSql = (schema: string) => {
  const at = (table: string): string => `"${schema}".${table}`;
  return {
    now: 'select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now_ms',

    /** Two that fold at once would each fold a part. */
    alone: `select pg_advisory_xact_lock(hashtextextended('${schema}.fold', 0))`,

    /** In the consumers' order, no further than the slowest of them has read. */
    oldest: `with slowest as (
        select tx, player_id, seq from ${at('consumer')}
        union all select 9223372036854775807, '', 0 order by tx, player_id, seq limit 1)
      select e.* from slowest s cross join lateral (
        select tx, player_id, seq, at, type, body, command_id from ${at('event')} o
        where (o.tx, o.player_id, o.seq) <= (s.tx, s.player_id, s.seq) and o.tx < ${OLDEST_OPEN}
        order by o.tx, o.player_id, o.seq limit $1) e
      order by e.tx, e.player_id, e.seq`,

    checkpoints: `select player_id, home from ${at('checkpoint')} where player_id = any($1::text[])`,

    saveCheckpoints: `insert into ${at('checkpoint')} (player_id, seq, home)
      select * from unnest($1::text[], $2::bigint[], $3::jsonb[])
      on conflict (player_id) do update set seq = excluded.seq, home = excluded.home`,

    deleteEvents: `delete from ${at('event')} e using unnest($1::text[], $2::bigint[]) as d(player_id, seq)
      where e.player_id = d.player_id and e.seq <= d.seq`,
  } as const;
};

export type RetainedSql = ReturnType<typeof retainedSql>;
