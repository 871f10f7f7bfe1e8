import { In, Not } from 'typeorm';
import type { OpsJob } from '../../../../shared/ops/ops-answers.ts';
import type { Job, JobOrders, NewJob } from '../../../ops/jobs/job-acts.ts';
import type { JobOutcome, JobQueue } from '../../../ops/jobs/job-runner.ts';
import type { Tx } from '../../../timer/model/timer-store.ts';
import { type Database, nowMs, type Statements } from '../database.ts';
import { besideErase } from '../home/home-sql.ts';
import { jobEntity } from '../schema/ops-entities.ts';
import { Records } from '../schema/records.ts';
import { setStatementTimeout } from '../statement.ts';

const LISTED = 100;

export class PostgresJobStore implements JobOrders, JobQueue {
  readonly #database: Database;
  readonly #sql: Statements<keyof ReturnType<typeof jobSql>>;
  readonly #records: Records;

  constructor(database: Database) {
    this.#database = database;
    this.#sql = database.statements('job', jobSql(database.schema));
    this.#records = new Records(database);
  }

  async create(
    tx: Tx,
    { job: { jobId, actor, reason, items, perSecond }, filter, sample }: NewJob,
  ): Promise<{ readonly count: number; readonly sample: readonly string[] }> {
    // One statement for all players, which may take longer than commands may.
    await setStatementTimeout(tx, 120_000);
    await this.#sql.run('alone', [], tx);
    const values = [jobId, actor, reason, JSON.stringify(items), perSecond, this.#database.datedMs()];
    await this.#sql.run('create', values, tx);
    const { playerIds, things, seenFromMs, seenToMs } = filter;
    const { module = null, isMissing = false, fields = {}, atLeast = {} } = things ?? {};
    const chosen = [
      ...[jobId, playerIds ?? null, module, !isMissing, JSON.stringify(fields), JSON.stringify(atLeast)],
      ...[seenFromMs ?? null, seenToMs ?? null, sample],
    ];
    const [row] = await this.#sql.rows<{ count: number; sample: string[] }>('fill', chosen, tx);
    return { count: row?.count ?? 0, sample: row?.sample ?? [] };
  }

  async lock(tx: Tx, jobId: string): Promise<Job['state'] | undefined> {
    return (await this.#sql.rows<Pick<Job, 'state'>>('lock', [jobId], tx))[0]?.state;
  }

  async setState(tx: Tx, jobId: string, state: Job['state']): Promise<void> {
    await this.#sql.run('setState', [jobId, state, this.#database.datedMs()], tx);
  }

  list(jobId?: string): Promise<readonly OpsJob[]> {
    return this.#records.read(async (manager) => {
      const where = jobId === undefined ? {} : { jobId };
      const jobs = await manager.find(jobEntity, { where, order: { createdAtMs: 'desc', jobId: 'asc' }, take: LISTED });
      return jobs.map((job) => ({ ...job, refused: sum(Object.values(job.refusals)) }));
    });
  }

  async running(exceptIds: readonly string[]): Promise<Job | undefined> {
    const where = { state: 'running', jobId: Not(In(exceptIds)) } as const;
    const oldest = { where, order: { createdAtMs: 'asc', jobId: 'asc' } } as const;
    return (await this.#records.read((manager) => manager.findOne(jobEntity, oldest))) ?? undefined;
  }

  async waiting(
    tx: Tx,
    jobId: string,
    { limit, afterId }: { readonly limit: number; readonly afterId: string },
  ): Promise<readonly string[]> {
    const rows = await this.#sql.rows<{ player_id: string }>('waiting', [jobId, limit, afterId], tx);
    return rows.map(({ player_id }) => player_id);
  }

  async finish(tx: Tx, jobId: string, outcomes: readonly JobOutcome[]): Promise<void> {
    const columns = [outcomes.map(({ playerId }) => playerId), outcomes.map(({ code }) => code ?? null)];
    await this.#sql.run('finish', [jobId, ...columns], tx);
  }

  async endIfDone(jobId: string): Promise<boolean> {
    return (await this.#sql.rows('endIfDone', [jobId, this.#database.datedMs()])).length > 0;
  }
}

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

/** The statements of the jobs. `schema` is a checked identifier. */
const jobSql = (schema: string) => {
  const job = `"${schema}".job`;
  const target = `"${schema}".job_target`;
  const home = `"${schema}".home`;
  /** A thing of the player that fits the filter. A value that is no number never fits a minimum. */
  const fitting = `from "${schema}".thing p where p.player_id = h.player_id and p.module = $3
    and p.state @> $5::jsonb and not exists (select from jsonb_each($6::jsonb) least
      where case jsonb_typeof(p.state->least.key) when 'number'
        then (p.state->>least.key)::numeric < (least.value#>>'{}')::numeric else true end)`;
  return {
    /** Without the lock a player who is erased meanwhile would stay in the list, and get a new home by the gift. */
    alone: `select pg_advisory_xact_lock(${besideErase(schema, 'fill')})`,

    create: `insert into ${job} (job_id, actor, reason, items, state, per_second, created_at, updated_at)
      select $1, $2, $3, $4::jsonb, 'running', $5::int, n.now_ms, n.now_ms from (select ${nowMs(6)} as now_ms) n`,

    /** Includes frozen players: the gift is theirs, too. */
    fill: `with filled as (
        insert into ${target} (job_id, player_id)
        select $1, h.player_id from ${home} h
        where ($2::text[] is null or h.player_id = any($2::text[]))
          and ($3::text is null or $4::bool = exists (select ${fitting}))
          and ($7::bigint is null or h.last_at >= $7) and ($8::bigint is null or h.last_at < $8)
        returning player_id),
      counted as (update ${job} set total = (select count(*) from filled) where job_id = $1)
      select count(*)::int as count, coalesce(
        (select array_agg(s.player_id) from (select player_id from filled order by 1 limit $9) s), '{}') as sample
      from filled`,

    lock: `select state from ${job} where job_id = $1 for update`,

    setState: `update ${job} set state = $2, updated_at = ${nowMs(3)} where job_id = $1`,

    /** Returns none after the job was stopped. */
    waiting: `select t.player_id from ${target} t
      where t.job_id = $1 and t.state = 'waiting' and t.player_id > $3
        and exists (select from ${job} j where j.job_id = $1 and j.state = 'running')
      order by t.player_id limit $2 for update skip locked`,

    /** Counts in the job's row: the targets of a hundred jobs may be millions. */
    finish: `with o as (select * from unnest($2::text[], $3::text[]) as o(player_id, code)),
      finished as (
        update ${target} t set state = case when o.code is null then 'done' else 'refused' end, code = o.code
        from o where t.job_id = $1 and t.player_id = o.player_id)
      update ${job} set done = done + (select count(*) from o where code is null),
        refusals = (select coalesce(jsonb_object_agg(c.code, c.count), '{}') from (
          select r.code, sum(r.count) as count from (
            select key as code, value::int as count from jsonb_each_text(refusals)
            union all select code, 1 from o where code is not null) r group by r.code) c)
      where job_id = $1`,

    /** A player who was erased before the job reached it no longer counts. */
    endIfDone: `update ${job} set state = 'done', updated_at = ${nowMs(2)},
        total = done + (select coalesce(sum(value::int), 0) from jsonb_each_text(refusals))
      where job_id = $1 and state = 'running' and not exists (
        select from ${target} where job_id = $1 and state = 'waiting') returning job_id`,
  } as const;
};
