import type { Items } from '../../../shared/items.ts';
import type { JobFilter } from '../../../shared/ops/job-filter.ts';
import type { OpsAnswers, OpsDone, OpsJob } from '../../../shared/ops/ops-answers.ts';
import { ok } from '../../../shared/result.ts';
import type { Modules } from '../../domain/modules.ts';
import type { Tx } from '../../timer/model/timer-store.ts';
import { type Handles, type OpsCall, type OpsResult, opsRefusal } from '../perform/ops-call.ts';
import { type AuditStore, jobTarget, perform } from '../perform/perform.ts';

export type Job = Omit<OpsJob, 'total' | 'done' | 'refused' | 'refusals'>;

export interface NewJob {
  readonly job: Pick<Job, 'jobId' | 'actor' | 'reason' | 'perSecond'> & { readonly items: Items };
  readonly filter: JobFilter;
  /** How many player ids the response lists. */
  readonly sample: number;
}

/** Jobs as operators order them, for many players. */
export interface JobOrders {
  /** Makes the job with its present list of players; returns their number and some of them. */
  create(tx: Tx, order: NewJob): Promise<{ readonly count: number; readonly sample: readonly string[] }>;
  /** Locks the row. Undefined: there is no such job. */
  lock(tx: Tx, jobId: string): Promise<Job['state'] | undefined>;
  setState(tx: Tx, jobId: string, state: Job['state']): Promise<void>;
  /** Newest first; without an id the newest hundred. */
  list(jobId?: string): Promise<readonly OpsJob[]>;
}

interface Dependencies {
  readonly jobs: JobOrders;
  readonly audit: AuditStore;
  readonly modules: Modules;
  /** Wakes the runner. */
  readonly wakeJobs: () => void;
}

const SAMPLE = 10;
const PER_SECOND = 100;

/** Jobs that give items to many players. A job has the id of the command that made it. */
export const jobActs = {
  jobs: async ({ jobs }) => ok({ jobs: await jobs.list() }),

  job: async ({ jobs }, { parts: { jobId } }) => {
    const [job] = await jobs.list(jobId);
    return job ? ok(job) : opsRefusal('job/unknown', { jobId });
  },

  /** The players are found now: a player that fits the filter later gets nothing. */
  createJob: async (
    { jobs, audit, modules, wakeJobs },
    { operator, input: { filter, items, perSecond = PER_SECOND, ...write } },
  ): Promise<OpsResult<OpsAnswers['createJob']>> => {
    const actor = operator.name;
    const jobId = write.commandId;
    const body = { filter, items, perSecond };
    const order = { actor, action: 'create-job', target: jobTarget(jobId), write, body };
    const made = await perform(audit, order, async (tx) => {
      const named = filter.things?.module;
      // With `isMissing` all players would lack a module that is misspelt.
      if (named !== undefined && !modules.named(named) && !modules.retired.includes(named)) {
        return opsRefusal('module/unknown', { module: named });
      }
      const job = { jobId, actor, reason: write.reason, items, perSecond };
      const { count, sample } = await jobs.create(tx, { job, filter, sample: SAMPLE });
      if (count === 0) return opsRefusal('job/empty', {});
      // The audit has the number of ids, not the ids: players may be erased.
      const { playerIds, ...others } = filter;
      const reached = { ...others, ...(playerIds ? { playerIds: playerIds.length } : {}) };
      return ok({
        before: undefined,
        after: { ...body, filter: reached, count },
        answer: { count },
        aside: sample,
        afterCommit: wakeJobs,
      });
    });
    if (!made.ok) return made;
    const { aside: sample = [], ...done } = made.value;
    const [job] = done.isDryRun ? [] : await jobs.list(jobId);
    return ok({ ...done, answer: { ...done.answer, sample, job } });
  },

  stopJob: (on, call) => turn(on, call, { action: 'stop-job', from: 'running', to: 'stopped' }),
  resumeJob: (on, call) => turn(on, call, { action: 'resume-job', from: 'stopped', to: 'running' }),
} satisfies Handles<Dependencies>;

interface Turn {
  readonly action: 'stop-job' | 'resume-job';
  readonly from: OpsJob['state'];
  readonly to: OpsJob['state'];
}

const turn = async (
  { jobs, audit, wakeJobs }: Dependencies,
  { operator, parts: { jobId }, input: write }: OpsCall<'stopJob' | 'resumeJob'>,
  { action, from, to }: Turn,
): Promise<OpsResult<OpsDone<OpsJob>>> => {
  const order = { actor: operator.name, action, target: jobTarget(jobId), write, body: {} };
  const turned = await perform(audit, order, async (tx) => {
    const state = await jobs.lock(tx, jobId);
    if (!state) return opsRefusal('job/unknown', { jobId });
    if (state !== from) return opsRefusal(`job/${state}`, { jobId });
    await jobs.setState(tx, jobId, to);
    return ok({ before: { state: from }, after: { state: to }, answer: { jobId }, afterCommit: wakeJobs });
  });
  if (!turned.ok) return turned;
  const [job] = await jobs.list(jobId);
  // A dry run was rolled back: the row has the state before.
  return job
    ? ok({ ...turned.value, answer: { ...job, ...(turned.value.isDryRun && { state: to }) } })
    : opsRefusal('job/unknown', { jobId });
};
