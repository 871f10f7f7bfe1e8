/** The statements of the jobs. `schema` is a checked identifier. */
export const jobSql = (schema: string) => {
  const job = `"${schema}".job`;
  const target = `"${schema}".job_target`;
  const home = `"${schema}".home`;
  /** A thing of the player at hand that is as the filter says. What is no number is never enough. */
  const fitting = `from "${schema}".thing p where p.player_id = h.player_id and p.module = $3
    and p.state @> $5::jsonb and not exists (select from jsonb_each($6::jsonb) least
      where case jsonb_typeof(p.state->least.key) when 'number'
        then (p.state->>least.key)::numeric < (least.value#>>'{}')::numeric else true end)`;
  return {
    create: `insert into ${job} (job_id, actor, reason, items, state, per_second, created_at, updated_at)
      select $1, $2, $3, $4::jsonb, 'running', $5::int, n.now_ms, n.now_ms from (select ${nowMs(6)} as now_ms) n`,

    /** Frozen players are reached as well: it is theirs. */
    fill: `with filled as (
        insert into ${target} (job_id, player_id)
        select $1, h.player_id from ${home} h
        where ($2::text[] is null or h.player_id = any($2::text[]))
          and ($3::text is null or $4::bool = exists (select ${fitting}))
          and ($7::bigint is null or h.last_at >= $7) and ($8::bigint is null or h.last_at < $8)
        returning player_id)
      select count(*)::int as count, coalesce(
        (select array_agg(s.player_id) from (select player_id from filled order by 1 limit $9) s), '{}') as sample
      from filled`,

    lock: `select state from ${job} where job_id = $1 for update`,

    setState: `update ${job} set state = $2, updated_at = ${nowMs(3)} where job_id = $1`,

    /** A job that is stopped at this moment hands nobody out any more. */
    waiting: `select t.player_id from ${target} t
      where t.job_id = $1 and t.state = 'waiting'
        and exists (select from ${job} j where j.job_id = $1 and j.state = 'running')
      order by t.player_id limit $2 for update skip locked`,

    finish: `update ${target} t set state = case when o.code is null then 'done' else 'refused' end, code = o.code
      from unnest($2::text[], $3::text[]) as o(player_id, code) where t.job_id = $1 and t.player_id = o.player_id`,

    endIfDone: `update ${job} set state = 'done', updated_at = ${nowMs(2)}
      where job_id = $1 and state = 'running' and not exists (
        select from ${target} where job_id = $1 and state = 'waiting') returning job_id`,
  } as const;
};

export type JobSql = ReturnType<typeof jobSql>;

/** The parameter is the time where the database's own is not trusted, else null. */
const nowMs = (parameter: number): string =>
  `coalesce($${parameter}::bigint, floor(extract(epoch from clock_timestamp()) * 1000)::bigint)`;
