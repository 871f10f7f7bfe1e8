import { refused } from '../../../shared/result.ts';
import type { ModuleFault } from '../../domain/module-fault.ts';
import { epochOf, type HomeView } from '../model/commit.ts';
import { faultIn, moduleFaultIn, OutcomeUnknown, rejectionOf, StoreFault } from '../model/faults.ts';
import { MOST_RULES_MS, measuringBatch } from '../model/home-measurement.ts';
import type { HomeOrder, Outcome } from '../model/homes.ts';
import { type BatchResult, type JudgedHome, runBatch } from './batch.ts';
import {
  type BatchEntry,
  batchEntryOf,
  inNextSlice,
  nextStep,
  partsAfter,
  pauseBefore,
  refusedPlayer,
  tooMany,
  unavailable,
  withoutFires,
} from './retries.ts';
import type { WritePathOptions } from './write-path-options.ts';
import { type HomeTask, type PlayerTasks, type SettledHome, WriteQueue } from './write-queue.ts';

/** A crowd smaller than this is not divided among the free slots. */
const LEAST_SHARE = 32;

/**
 * The one way in which homes change. Tasks of many players share a transaction. While one runs, the next batch gathers,
 * so batches are small at low load and grow with it. A crowd is divided among the free batches, so that the rules work
 * on one while the database works on another.
 */
export class WritePath {
  readonly #on: WritePathOptions;
  readonly #queue: WriteQueue;
  #running = 0;
  #firing = 0;
  #isPumping = false;
  #drained: PromiseWithResolvers<void> | undefined;

  constructor(options: WritePathOptions) {
    this.#on = options;
    this.#queue = new WriteQueue(options);
  }

  /** Returns `server/unavailable` if nothing was done, `rate/limited` if too much waits; throws `OutcomeUnknown`. */
  order(order: HomeOrder): Promise<Outcome> {
    const { limits } = this.#on;
    if (this.#drained || this.#queue.waiting >= limits.waitingTotal) return Promise.resolve(unavailable());
    if (this.#queue.waitingOf(order.playerId) >= limits.waitingPerPlayer) return Promise.resolve(tooMany());
    return new Promise((resolve, failed) => {
      this.#add({
        playerId: order.playerId,
        order,
        isFire: false,
        done: (_settled, outcome = unavailable()) => resolve(outcome),
        failed: (error) => (error instanceof OutcomeUnknown ? failed(error) : resolve(refused(rejectionOf(error)))),
      });
    });
  }

  /** Settles for a caller that wants to read the home. Throws a `StoreFault`. */
  async look(playerId: string): Promise<HomeView> {
    const { commit, epoch } = await this.#settled({ playerId, isFire: false });
    const { home, nowMs, fault } = commit;
    return { home, epoch, nowMs, ...(fault && { fault }) };
  }

  /**
   * Settles because a timer fired; returns the timers that moved. Throws a `StoreFault`, at once if the home is locked:
   * the timer stays due and is retried.
   */
  async settle(playerId: string): Promise<ReadonlySet<string>> {
    return (await this.#settled({ playerId, isFire: true })).moved;
  }

  drain(): Promise<void> {
    this.#drained ??= Promise.withResolvers();
    this.#endDrain();
    return this.#drained.promise;
  }

  #settled(task: Pick<HomeTask, 'playerId' | 'isFire'>): Promise<SettledHome> {
    return new Promise((done, failed) => this.#add({ ...task, order: undefined, done, failed }));
  }

  #add(task: HomeTask): void {
    this.#queue.add(task);
    if (this.#isPumping) return;
    this.#isPumping = true;
    // Everything that arrives in the same turn of the event loop shares the batch.
    queueMicrotask(() => {
      this.#isPumping = false;
      this.#pump();
    });
  }

  #pump(): void {
    const { batchSize, parallelBatches, parallelFires, firesPerBatch } = this.#on.limits;
    while (this.#running < parallelBatches) {
      const share = Math.ceil(this.#queue.players / (parallelBatches - this.#running));
      const asked = this.#queue.nextAsked(Math.min(batchSize, Math.max(LEAST_SHARE, share)));
      const fires = asked.length === 0 && this.#firing < parallelFires ? this.#queue.nextFires(firesPerBatch) : [];
      if (asked.length + fires.length === 0) break;
      void this.#runAndGoOn(asked, fires);
    }
    this.#endDrain();
  }

  /** One of the two is empty: commands and reads do not wait for fires. */
  async #runAndGoOn(asked: readonly PlayerTasks[], fires: readonly PlayerTasks[]): Promise<void> {
    const firing = fires.length > 0 ? 1 : 0;
    this.#running += 1;
    this.#firing += firing;
    await this.#run([...asked, ...fires]);
    this.#running -= 1;
    this.#firing -= firing;
    this.#pump();
  }

  async #run(players: readonly PlayerTasks[], beganAtMs = this.#on.clock.monotonicMs()): Promise<void> {
    const { rules, store, limits, measure } = this.#on;
    const measured = measuringBatch(measure, players.length);
    const entries = players.map(batchEntryOf);
    try {
      const epoch = await store.epoch();
      const result = await runBatch({
        rules,
        players: entries,
        waits: false,
        limits,
        measure,
        mostRulesMs: MOST_RULES_MS,
        save: (request, decide) => store.change(request, decide),
      });
      measured(true);
      this.#publish(entries, result, epoch);
    } catch (error) {
      measured(false);
      await this.#failed(players, error, beganAtMs);
    }
  }

  #publish(entries: readonly BatchEntry[], { judged, index, lives }: BatchResult, epoch: string): void {
    const { feed, updateIndex, measure } = this.#on;
    const dated = measure ? { committedAtMs: measure.clock.nowMs() } : {};
    updateIndex(index);
    const unsettled: PlayerTasks[] = [];
    const moved = new Set([...index.put, ...index.remove].map(({ timerId }) => timerId));
    for (const { player, playerId, now, later, refusal } of entries) {
      const found = judged.get(playerId);
      if (!found) {
        this.#again(player, new StoreFault('locked', 'another transaction has the home'));
        continue;
      }
      const { commit, isSettled } = found;
      if (isSettled || commit.events.length > 0) feed.publish({ ...commit, ...dated });
      if (!isSettled) {
        // Homes without room in this batch come first in the next one.
        unsettled.splice(commit.events.length > 0 ? unsettled.length : 0, 0, player);
        continue;
      }
      this.#reportFaults(found);
      const settled = { commit, epoch: epochOf(epoch, lives.get(playerId)), moved };
      const outcomes = found.outcomes.values();
      for (const task of now) {
        if (found.fault && task.isFire) task.failed(found.fault);
        else task.done(settled, task.order && (refusal ? refused(refusal) : outcomes.next().value));
      }
      if (later.length === 0) this.#queue.release(playerId);
      else this.#queue.requeue({ playerId, tasks: [...later], tries: 0, slices: 0, ahead: player.ahead });
    }
    for (const player of unsettled) this.#goOn(player);
  }

  #reportFaults({ fault, orderFaults, commit }: JudgedHome): void {
    const { onFault } = this.#on;
    if (fault) onFault(`the home of ${commit.playerId} stands still`, fault);
    for (const each of orderFaults) onFault(`a command of ${commit.playerId} met a fault`, each);
  }

  /** More was due than fits into a batch. Orders wait for the next batches, because they need a settled home. */
  #goOn(player: PlayerTasks): void {
    const error = new StoreFault('unsettled', 'more is due than fits into a batch');
    const later = inNextSlice(player, error);
    if (later.tasks.length === 0) this.#queue.release(player.playerId);
    else if (this.#drained) this.#giveUp(later, error);
    else this.#queue.requeue(later);
  }

  /** One bad home must not harm the others: a failed batch is retried without the named home, or in halves. */
  async #failed(players: readonly PlayerTasks[], error: unknown, beganAtMs: number): Promise<void> {
    const [first] = players;
    const hostFault = moduleFaultIn(error);
    const parts = partsAfter(players, error, this.#on.clock.monotonicMs() - beganAtMs);
    if (parts.length > 0) {
      for (const part of parts) await this.#run(part, beganAtMs);
    } else if (hostFault && first) {
      await this.#refusedByHost(first, hostFault);
    } else if (error instanceof StoreFault && error.kind === 'failed' && first && players.length === 1) {
      this.#again(first, error);
    } else {
      this.#on.onFault('a batch of homes failed', error);
      for (const player of players) this.#giveUp(player, error);
    }
  }

  async #refusedByHost(player: PlayerTasks, fault: ModuleFault): Promise<void> {
    const next = nextStep(player, fault);
    if (!next) return this.#giveUp(player, fault);
    player.hostFault = next;
    if (next.step === 'without-order' && refusedPlayer(fault) === undefined) {
      this.#on.onFault(`a command of ${player.playerId} met a fault`, fault);
    }
    return this.#run([player]);
  }

  #again(player: PlayerTasks, error: StoreFault): void {
    const isLocked = error.kind === 'locked';
    const later = isLocked ? withoutFires(player, error) : player;
    const pauseMs = pauseBefore(player, error);
    later.tries += 1;
    if (later.tasks.length === 0) {
      this.#queue.release(player.playerId);
    } else if (pauseMs === undefined) {
      this.#on.onFault('a home could not be changed', faultIn(error));
      this.#giveUp(later, error);
    } else if (pauseMs === 0 || later.tasks.every((task) => task.isFire)) {
      this.#queue.requeue(later);
    } else {
      this.#queue.park(later);
      this.#on.clock.after(pauseMs, () => {
        this.#queue.unpark(player.playerId);
        this.#pump();
      });
    }
  }

  #giveUp(player: PlayerTasks, error: unknown): void {
    const isLost = error instanceof StoreFault && error.kind === 'unknown';
    for (const task of player.tasks) task.failed(isLost ? new OutcomeUnknown(error) : error);
    this.#queue.release(player.playerId);
    // The commit may have succeeded: then the player's followers must see it.
    if (isLost && this.#on.feed.isFollowed(player.playerId) && !this.#drained) {
      this.look(player.playerId).catch((later: unknown) => this.#on.onFault('a home was not seen', later));
    }
  }

  #endDrain(): void {
    if (this.#running === 0 && this.#queue.waiting === 0) this.#drained?.resolve();
  }
}
