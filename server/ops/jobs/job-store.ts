import type { Items } from '../../../shared/items.ts';
import type { JobFilter } from '../../../shared/ops/job-filter.ts';
import type { OpsJob } from '../../../shared/ops/ops-answers.ts';
import type { Tx } from '../../timer/model/timer-store.ts';

export type Job = Omit<OpsJob, 'total' | 'done' | 'refused' | 'refusals'>;

export interface JobOutcome {
  readonly playerId: string;
  /** Undefined: it was done. */
  readonly code: string | undefined;
}

export interface NewJob {
  readonly job: Pick<Job, 'jobId' | 'actor' | 'reason' | 'perSecond'> & { readonly items: Items };
  readonly filter: JobFilter;
  /** How many of the players are named in the response. */
  readonly sample: number;
}

/** Jobs and the players they reach, as rows: a restart changes nothing. Errors come as the driver throws them. */
export interface JobStore extends JobOrders, JobQueue {}

/** What operators want done to many players. */
export interface JobOrders {
  /** Makes the job and its list of players as they are now; returns how many, and some of them. */
  create(tx: Tx, order: NewJob): Promise<{ readonly count: number; readonly sample: readonly string[] }>;
  /** Locks the row. Undefined: there is none. */
  lock(tx: Tx, jobId: string): Promise<Job['state'] | undefined>;
  setState(tx: Tx, jobId: string, state: Job['state']): Promise<void>;
  /** Newest first; without an id the newest hundred. */
  list(jobId?: string): Promise<readonly OpsJob[]>;
}

/** What is left to do of it. */
export interface JobQueue {
  /** The oldest that is running. */
  running(): Promise<Job | undefined>;
  /** Players that wait, locked; those that somebody else has locked are left out. */
  waiting(tx: Tx, jobId: string, limit: number): Promise<readonly string[]>;
  finish(tx: Tx, jobId: string, outcomes: readonly JobOutcome[]): Promise<void>;
  /** Whether nobody waits; then the job is done. */
  endIfDone(jobId: string): Promise<boolean>;
}
