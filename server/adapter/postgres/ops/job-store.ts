import type { Pool } from 'pg';
import { type EntityManager, In } from 'typeorm';
import type { OpsJob } from '../../../../shared/ops/ops-answers.ts';
import type { Job, JobOutcome, JobStore, NewJob } from '../../../ops/jobs/job-store.ts';
import { type TrustedTime, unguarded } from '../../../timer/clock/trusted-time.ts';
import type { Tx } from '../../../timer/model/timer-store.ts';
import { jobEntity } from '../schema/entities/ops/job.ts';
import { type JobTargetRecord, jobTargetEntity } from '../schema/entities/ops/job-target.ts';
import { Records } from '../schema/records.ts';
import { allow, query } from '../statement.ts';
import { type JobSql, jobSql } from './job-sql.ts';

interface Dependencies {
  readonly pool: Pool;
  /** A checked identifier. */
  readonly schema: string;
  /** Default: the clock is believed. */
  readonly time?: TrustedTime;
}

type Counted = Pick<JobTargetRecord, 'jobId' | 'state' | 'code'> & { readonly count: string | number };

const LISTED = 100;

/** Jobs in Postgres (`JobStore`). */
export class PostgresJobStore implements JobStore {
  readonly #pool: Pool;
  readonly #schema: string;
  readonly #sql: JobSql;
  readonly #time: TrustedTime;
  readonly #records: Records;

  constructor({ pool, schema, time = unguarded }: Dependencies) {
    this.#pool = pool;
    this.#time = time;
    this.#schema = schema;
    this.#sql = jobSql(schema);
    this.#records = new Records({ pool, schema });
  }

  async create(
    tx: Tx,
    { job: { jobId, actor, reason, items, perSecond }, filter, sample }: NewJob,
  ): Promise<{ readonly count: number; readonly sample: readonly string[] }> {
    // All players at once: it may take longer than commands may.
    await allow(tx, 120_000);
    await this.#rows(tx, 'create', [jobId, actor, reason, JSON.stringify(items), perSecond, this.#datedMs]);
    const { playerIds, things, seenFromMs, seenToMs } = filter;
    const { module = null, isMissing = false, fields = {}, atLeast = {} } = things ?? {};
    const [row] = await this.#rows<{ count: number; sample: string[] }>(tx, 'fill', [
      ...[jobId, playerIds ?? null, module, !isMissing, JSON.stringify(fields), JSON.stringify(atLeast)],
      ...[seenFromMs ?? null, seenToMs ?? null, sample],
    ]);
    return { count: row?.count ?? 0, sample: row?.sample ?? [] };
  }

  async lock(tx: Tx, jobId: string): Promise<Job['state'] | undefined> {
    return (await this.#rows<Pick<Job, 'state'>>(tx, 'lock', [jobId]))[0]?.state;
  }

  async setState(tx: Tx, jobId: string, state: Job['state']): Promise<void> {
    await this.#rows(tx, 'setState', [jobId, state, this.#datedMs]);
  }

  list(jobId?: string): Promise<readonly OpsJob[]> {
    return this.#records.read(async (manager) => {
      const where = jobId === undefined ? {} : { jobId };
      const jobs = await manager.find(jobEntity, { where, order: { createdAtMs: 'desc', jobId: 'asc' }, take: LISTED });
      const counts = await countsOf(manager, jobs);
      return jobs.map((job) => withCounts(job, counts.get(job.jobId) ?? []));
    });
  }

  async running(): Promise<Job | undefined> {
    const oldest = { where: { state: 'running' }, order: { createdAtMs: 'asc', jobId: 'asc' } } as const;
    return (await this.#records.read((manager) => manager.findOne(jobEntity, oldest))) ?? undefined;
  }

  async waiting(tx: Tx, jobId: string, limit: number): Promise<readonly string[]> {
    const rows = await this.#rows<{ player_id: string }>(tx, 'waiting', [jobId, limit]);
    return rows.map(({ player_id }) => player_id);
  }

  async finish(tx: Tx, jobId: string, outcomes: readonly JobOutcome[]): Promise<void> {
    const columns = [outcomes.map(({ playerId }) => playerId), outcomes.map(({ code }) => code ?? null)];
    await this.#rows(tx, 'finish', [jobId, ...columns]);
  }

  async endIfDone(jobId: string): Promise<boolean> {
    return (await this.#rows(this.#pool, 'endIfDone', [jobId, this.#datedMs])).length > 0;
  }

  /** Null: the database's own time. */
  get #datedMs(): number | null {
    return this.#time.heldMs ?? null;
  }

  #rows<Row>(tx: Tx, statement: keyof JobSql, values: readonly unknown[]): Promise<readonly Row[]> {
    return query(tx, { name: `${this.#schema}.job.${statement}`, text: this.#sql[statement], values });
  }
}

const countsOf = async (manager: EntityManager, jobs: readonly Job[]): Promise<Map<string, Counted[]>> => {
  const counts = await manager
    .createQueryBuilder(jobTargetEntity, 't')
    .select('t.jobId', 'jobId')
    .addSelect('t.state', 'state')
    .addSelect('t.code', 'code')
    .addSelect('count(*)', 'count')
    .where({ jobId: In(jobs.map(({ jobId }) => jobId)) })
    .groupBy('t.jobId, t.state, t.code')
    .getRawMany<Counted>();
  return Map.groupBy(counts, ({ jobId }) => jobId);
};

const withCounts = (job: Job, counts: readonly Counted[]): OpsJob => {
  const sum = (rows: readonly Counted[]): number => rows.reduce((total, { count }) => total + Number(count), 0);
  const refused = counts.filter(({ state }) => state === 'refused');
  return {
    ...job,
    total: sum(counts),
    done: sum(counts.filter(({ state }) => state === 'done')),
    refused: sum(refused),
    refusals: Object.fromEntries(refused.map(({ code, count }) => [code ?? '', Number(count)])),
  };
};
