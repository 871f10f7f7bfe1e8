import { causesOf, isA } from '../../../shared/game-code.ts';
import { ModuleMissing } from '../../domain/module-fault.ts';
import type { Modules } from '../../domain/modules.ts';
import type { HandledInTx, HomeService } from '../../home/home-service.ts';
import { StoreFault } from '../../home/model/faults.ts';
import { MOST_RULES_MS } from '../../home/model/home-measurement.ts';
import { commandHash } from '../../home/model/home-store.ts';
import type { Outcome } from '../../home/model/homes.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { EngineLog } from '../../runtime/engine-log.ts';
import type { Exclusive } from '../../runtime/exclusive.ts';
import { type Throttle, throttle } from '../../runtime/throttle.ts';
import type { Tx } from '../../timer/model/timer-store.ts';
import { type AuditEntry, type AuditStore, playerTarget, summaryOf } from '../perform/perform.ts';
import type { Job } from './job-acts.ts';

export interface JobOutcome {
  readonly playerId: string;
  /** The code of a refusal; undefined: it was done. */
  readonly code: string | undefined;
}

/** The remaining work of jobs. */
export interface JobQueue {
  /** The oldest running job, without these. */
  running(exceptIds: readonly string[]): Promise<Job | undefined>;
  /**
   * Locks and returns waiting players in the order of their ids, from the one after `afterId`, without those that
   * another transaction has locked.
   */
  waiting(
    tx: Tx,
    jobId: string,
    page: { readonly afterId: string; readonly limit: number },
  ): Promise<readonly string[]>;
  finish(tx: Tx, jobId: string, outcomes: readonly JobOutcome[]): Promise<void>;
  /** Ends the job if no player waits any more; returns whether it did. */
  endIfDone(jobId: string): Promise<boolean>;
}

/** Polls this often while no job runs; a job that is made in this process wakes the loop. */
const EVERY_MS = 2_000;
const BATCH = 25;
const LEFT_MS = 60_000;
const SECOND_MS = 1000;

interface Dependencies {
  readonly jobs: JobQueue;
  readonly audit: AuditStore;
  readonly homes: Pick<HomeService, 'handleIn'>;
  readonly modules: Modules;
  readonly clock: Clock;
  readonly log: EngineLog;
  /** The lock for running jobs. Two runners would be harmless: players are locked, and commands have ids. */
  readonly exclusive: Exclusive;
}

/** Runs jobs: some players per transaction, at the job's pace. Each player gets it once, even if a process dies. */
export class JobRunner {
  readonly #on: Dependencies;
  /** How many players of a failed batch are still to be tried one by one, so that one bad home does not stop the job. */
  #oneByOne = 0;
  /** Of the newest batch. */
  #tried: readonly string[] = [];
  /**
   * By job: the last player whose home this process cannot read. The job goes on behind it, so that all others go
   * first; at the end the round begins anew.
   */
  readonly #afterIds = new Map<string, string>();
  /** Jobs that had such players: for a minute other jobs, and other processes, go first. No more than jobs run. */
  readonly #left = new Set<string>();
  #leftAtMs = 0;
  /** How many such players were passed over since the newest job was left. */
  #passed = 0;
  readonly #limit: Throttle;

  constructor(dependencies: Dependencies) {
    this.#on = dependencies;
    this.#limit = throttle(dependencies.clock);
  }

  /** Returns how long to sleep. */
  tick = async (): Promise<number> => {
    const { jobs, clock, exclusive } = this.#on;
    if (clock.monotonicMs() - this.#leftAtMs >= LEFT_MS) this.#left.clear();
    const job = await jobs.running([...this.#left]);
    if (!job) {
      await exclusive.release();
      this.#left.clear();
      return EVERY_MS;
    }
    if (!(await exclusive.tryLock())) return EVERY_MS;
    const startedAtMs = clock.monotonicMs();
    const limit = this.#oneByOne > 0 ? 1 : Math.min(BATCH, Math.max(1, Math.ceil(job.perSecond / 4)));
    const count = await this.#run(job, limit);
    if (count === 0) return this.#endRound(job);
    if (this.#passed >= BATCH) return this.#leave(job);
    const paceMs = ((count ?? 0) / job.perSecond) * SECOND_MS;
    return Math.max(count === undefined ? EVERY_MS : 0, paceMs - (clock.monotonicMs() - startedAtMs));
  };

  async #endRound(job: Job): Promise<number> {
    if (await this.#on.jobs.endIfDone(job.jobId)) return 0;
    return this.#afterIds.delete(job.jobId) ? this.#leave(job) : EVERY_MS;
  }

  /** Gives the lock away: a process of another release may be able to read the homes. */
  async #leave({ jobId }: Job): Promise<number> {
    this.#passed = 0;
    this.#left.add(jobId);
    this.#leftAtMs = this.#on.clock.monotonicMs();
    await this.#on.exclusive.release();
    return EVERY_MS;
  }

  /** Returns how many players were tried; undefined: a batch failed. */
  async #run(job: Job, limit: number): Promise<number | undefined> {
    try {
      const count = await this.#batch(job, limit);
      this.#oneByOne = Math.max(0, this.#oneByOne - count);
      return count;
    } catch (error) {
      const { log, audit } = this.#on;
      const isUnreadable = causesOf(error).some((one) => isA(one, ModuleMissing));
      if (this.#oneByOne === 0) {
        this.#oneByOne = Math.max(1, this.#tried.length);
        if (!isUnreadable)
          log.warn({ err: error, job: job.jobId }, 'a batch of a job failed; its players are tried one by one');
        return undefined;
      }
      if (isUnreadable) return this.#passOver(job, error);
      if (error instanceof StoreFault || audit.isWorldFault(error)) throw error;
      await this.#giveUpOne(job, error);
      this.#oneByOne -= 1;
      return 1;
    }
  }

  /** Another process may read the home, so the player stays waiting. The other players must not wait with it. */
  #passOver({ jobId }: Job, error: unknown): number {
    const line = this.#limit(jobId);
    const fields = { err: error, job: jobId, leftOut: line?.leftOut };
    if (line) this.#on.log.warn(fields, 'players of a job stay waiting: this process cannot read their homes');
    this.#afterIds.set(jobId, this.#tried.at(-1) ?? '');
    this.#passed += 1;
    this.#oneByOne -= 1;
    return 1;
  }

  async #batch(job: Job, limit: number): Promise<number> {
    const { audit } = this.#on;
    const { count, afterCommit } = await audit.transaction((tx) => this.#batchIn(tx, job, limit));
    afterCommit?.();
    return count;
  }

  async #batchIn(tx: Tx, job: Job, limit: number): Promise<{ count: number; afterCommit?: () => void }> {
    const { jobs, audit, homes } = this.#on;
    const { jobId, reason, items } = job;
    const playerIds = await jobs.waiting(tx, jobId, { limit, afterId: this.#afterIds.get(jobId) ?? '' });
    this.#tried = playerIds;
    if (playerIds.length === 0) return { count: 0 };
    const command = { type: 'home:grant', items, reason } as const;
    // The job's id is the command id in each player's own log.
    const merged = await audit.mergedAway(tx, playerIds);
    const present = playerIds.filter((playerId) => !merged.has(playerId));
    const orders = present.map((playerId) => ({ playerId, commandId: jobId, command }));
    const handled = await homes.handleIn(tx, orders, MOST_RULES_MS);
    // A merge may have held a home until now.
    if ((await audit.mergedAway(tx, present)).size > 0)
      throw new StoreFault('down', 'a home was merged away meanwhile');
    const outcomes = [
      ...present.map((playerId, at) => outcomeOf(playerId, handled.outcomes[at])),
      // No player could get at the items in a home that was merged away.
      ...[...merged].map((playerId) => ({ playerId, code: 'player/merged' })),
    ];
    await jobs.finish(tx, jobId, outcomes);
    await audit.add(tx, entriesOf(this.#on.modules, job, outcomes, handled.homes));
    return { count: playerIds.length, afterCommit: handled.afterCommit };
  }

  async #giveUpOne({ jobId }: Job, error: unknown): Promise<void> {
    const { jobs, audit, log } = this.#on;
    await audit.transaction(async (tx) => {
      const [playerId] = await jobs.waiting(tx, jobId, { limit: 1, afterId: this.#afterIds.get(jobId) ?? '' });
      // Another player may be first by now.
      if (playerId === undefined || playerId !== this.#tried[0]) return;
      log.error({ err: error, job: jobId }, 'a player of a job was left out');
      await jobs.finish(tx, jobId, [{ playerId, code: 'server/failed' }]);
    });
  }
}

/** Throws if nothing was done and a retry may succeed: the player stays waiting. */
const outcomeOf = (playerId: string, outcome: Outcome | undefined): JobOutcome => {
  if (outcome?.ok) return { playerId, code: undefined };
  if (!outcome || outcome.error.retryable) throw new StoreFault('down', outcome?.error.code ?? 'no outcome');
  return { playerId, code: outcome.error.code };
};

const entriesOf = (
  modules: Modules,
  { jobId, actor, reason, items }: Job,
  outcomes: readonly JobOutcome[],
  homes: HandledInTx['homes'],
): readonly AuditEntry[] => {
  const done = outcomes.filter(({ code }) => code === undefined);
  return done.map(({ playerId }) => {
    const home = homes.get(playerId);
    return {
      commandId: jobId,
      target: playerTarget(playerId),
      actor,
      action: 'grant',
      reason,
      before: home && summaryOf(modules, home.before),
      after: home && summaryOf(modules, home.after),
      hash: commandHash({ action: 'grant', items, reason }),
      answer: undefined,
    };
  });
};
