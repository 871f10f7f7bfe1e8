import type { Pool } from 'pg';
import type { OpsJob } from '../../../shared/ops-answers.ts';
import type { Job, JobOutcome, JobStore, TargetFilter } from '../../ops/job-store.ts';
import type { Tx } from '../../timer/timer-store.ts';
import { type TrustedTime, unguarded } from '../../timer/trusted-time.ts';
import { type JobSql, jobSql } from './job-sql.ts';
import { query } from './statement.ts';

interface Dependencies {
  readonly pool: Pool;
  /** A checked identifier. */
  readonly schema: string;
  /** Default: the clock is believed. */
  readonly time?: TrustedTime;
}

interface JobRow {
  readonly job_id: string;
  readonly actor: string;
  readonly reason: string;
  readonly items: Job['items'];
  readonly state: Job['state'];
  readonly per_second: number;
  readonly created_at: string | number;
  readonly updated_at: string | number;
}

interface CountRow {
  readonly job_id: string;
  readonly state: 'waiting' | 'done' | 'refused';
  readonly code: string | null;
  readonly count: number;
}

/** Jobs in Postgres (`JobStore`). */
export class PostgresJobStore implements JobStore {
  readonly #pool: Pool;
  readonly #schema: string;
  readonly #sql: JobSql;
  readonly #time: TrustedTime;

  constructor({ pool, schema, time = unguarded }: Dependencies) {
    this.#pool = pool;
    this.#time = time;
    this.#schema = schema;
    this.#sql = jobSql(schema);
  }

  async create(
    tx: Tx,
    { jobId, actor, reason, items, perSecond }: Parameters<JobStore['create']>[1],
    filter: TargetFilter,
    sample: number,
  ): Promise<{ readonly count: number; readonly sample: readonly string[] }> {
    // All players at once: it may take longer than commands may.
    await tx.query('set local statement_timeout = 120000');
    await this.#rows(tx, 'create', [jobId, actor, reason, JSON.stringify(items), perSecond, this.#datedMs]);
    const { playerIds, species, hasPet, seenFromMs, seenToMs, minXp } = filter;
    const [row] = await this.#rows<{ count: number; sample: string[] }>(tx, 'fill', [
      ...[jobId, playerIds ?? null, species ?? null, hasPet ?? null],
      ...[seenFromMs ?? null, seenToMs ?? null, minXp ?? null, sample],
    ]);
    return { count: row?.count ?? 0, sample: row?.sample ?? [] };
  }

  async lock(tx: Tx, jobId: string): Promise<Job | undefined> {
    return (await this.#rows<JobRow>(tx, 'lock', [jobId])).map(jobOf)[0];
  }

  async setState(tx: Tx, jobId: string, state: Job['state']): Promise<void> {
    await this.#rows(tx, 'setState', [jobId, state, this.#datedMs]);
  }

  async list(jobId?: string): Promise<readonly OpsJob[]> {
    const jobs = (await this.#rows<JobRow>(this.#pool, 'list', [jobId ?? null])).map(jobOf);
    const counts = await this.#rows<CountRow>(this.#pool, 'counts', [jobs.map((job) => job.jobId)]);
    const byJob = Map.groupBy(counts, ({ job_id }) => job_id);
    return jobs.map((job) => withCounts(job, byJob.get(job.jobId) ?? []));
  }

  async running(): Promise<Job | undefined> {
    return (await this.#rows<JobRow>(this.#pool, 'running', [])).map(jobOf)[0];
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

const jobOf = (row: JobRow): Job => ({
  jobId: row.job_id,
  actor: row.actor,
  reason: row.reason,
  items: row.items,
  state: row.state,
  perSecond: row.per_second,
  createdAtMs: Number(row.created_at),
  updatedAtMs: Number(row.updated_at),
});

const withCounts = (job: Job, counts: readonly CountRow[]): OpsJob => {
  const sum = (rows: readonly CountRow[]): number => rows.reduce((total, { count }) => total + count, 0);
  const refused = counts.filter(({ state }) => state === 'refused');
  return {
    ...job,
    total: sum(counts),
    done: sum(counts.filter(({ state }) => state === 'done')),
    refused: sum(refused),
    refusals: Object.fromEntries(refused.map(({ code, count }) => [code ?? '', count])),
  };
};
