import type { OpsAnswers, OpsDone, OpsJob } from '../../../shared/ops/ops-answers.ts';
import { ok } from '../../../shared/result.ts';
import { type AuditStore, jobTarget } from '../perform/audit.ts';
import type { OpsCall, OpsPlainCall } from '../perform/ops-call.ts';
import { perform } from '../perform/perform.ts';
import { type OpsResult, refuse } from '../perform/refusal.ts';
import type { JobOrders } from './job-store.ts';

interface Turn {
  readonly action: 'stop-job' | 'resume-job';
  readonly from: OpsJob['state'];
  readonly to: OpsJob['state'];
}

interface Dependencies {
  readonly jobs: JobOrders;
  readonly audit: AuditStore;
  /** There is something to do. */
  readonly wake: () => void;
}

const SAMPLE = 10;
const PER_SECOND = 100;

/** Jobs that give many players something. A job is named after the command that made it. */
export class OpsJobs {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  async list(): Promise<OpsResult<OpsAnswers['jobs']>> {
    return ok({ jobs: await this.#dependencies.jobs.list() });
  }

  async show(jobId: string): Promise<OpsResult<OpsJob>> {
    const [job] = await this.#dependencies.jobs.list(jobId);
    return job ? ok(job) : refuse('job/unknown', { jobId });
  }

  /** Whom it reaches is settled now: who fits the filter later is not reached. */
  async create({ operator, input }: OpsCall<'createJob'>): Promise<OpsResult<OpsAnswers['createJob']>> {
    const { jobs, audit, wake } = this.#dependencies;
    const { filter, items, perSecond = PER_SECOND, ...write } = input;
    const actor = operator.name;
    const jobId = write.commandId;
    const body = { filter, items, perSecond };
    const order = { actor, action: 'create-job', target: jobTarget(jobId), write, body };
    const made = await perform(audit, order, async (tx) => {
      const job = { jobId, actor, reason: write.reason, items, perSecond };
      const { count, sample } = await jobs.create(tx, { job, filter, sample: SAMPLE });
      if (count === 0) return refuse('job/empty', {});
      // The audit keeps how many, and not who: players may be erased.
      const { playerIds, ...others } = filter;
      const reached = { ...others, ...(playerIds ? { playerIds: playerIds.length } : {}) };
      return ok({
        before: undefined,
        after: { ...body, filter: reached, count },
        answer: { count },
        aside: sample,
        afterCommit: wake,
      });
    });
    if (!made.ok) return made;
    const { aside: sample = [], ...done } = made.value;
    const [job] = done.isDryRun ? [] : await jobs.list(jobId);
    return ok({ ...done, answer: { ...done.answer, sample, job } });
  }

  stop(call: OpsPlainCall) {
    return this.#turn(call, { action: 'stop-job', from: 'running', to: 'stopped' });
  }

  resume(call: OpsPlainCall) {
    return this.#turn(call, { action: 'resume-job', from: 'stopped', to: 'running' });
  }

  async #turn(
    { operator, parts: { jobId }, input: write }: OpsPlainCall,
    { action, from, to }: Turn,
  ): Promise<OpsResult<OpsDone<OpsJob>>> {
    const { jobs, audit, wake } = this.#dependencies;
    const order = { actor: operator.name, action, target: jobTarget(jobId), write, body: {} };
    const turned = await perform(audit, order, async (tx) => {
      const state = await jobs.lock(tx, jobId);
      if (!state) return refuse('job/unknown', { jobId });
      if (state !== from) return refuse(`job/${state}`, { jobId });
      await jobs.setState(tx, jobId, to);
      return ok({ before: { state: from }, after: { state: to }, answer: { jobId }, afterCommit: wake });
    });
    if (!turned.ok) return turned;
    const [job] = await jobs.list(jobId);
    return job ? ok({ ...turned.value, answer: job }) : refuse('job/unknown', { jobId });
  }
}
