import { afterEach, beforeEach } from 'vitest';
import type { IndexChanges, TimerRef } from '../../../server/timer/model/index-entry.ts';
import type { Timer } from '../../../server/timer/model/timer.ts';
import type { NewTimer, ScheduleRequest, TimerFields } from '../../../server/timer/model/timer-changes.ts';
import type { TimerStore, TimerUpdate } from '../../../server/timer/model/timer-store.ts';
import type { ThingTimers } from '../../support/fake-database/thing-timers.ts';

export interface StoreUnderTest {
  readonly store: TimerStore;
  /** The homes' writes of their things' timers. */
  changeThings(changes: ThingTimers): Promise<IndexChanges>;
  dispose(): Promise<void>;
}

/** Gets the clock that the store has to go by. */
export type MakeStore = (nowMs: () => number) => Promise<StoreUnderTest>;

/** As a delivery says it. */
export const refOf = ({ id, owner }: Timer): TimerRef => ({ timerId: id, owner });

/** When each scene begins. */
export const NOW_MS = 1_790_000_000_000;
type More = Partial<Omit<TimerFields, 'subject'> & Pick<ScheduleRequest, 'orMove'>>;
export const wanted = (subject: string, delayMs = 1000, more: More = {}): ScheduleRequest => ({
  kind: 'order',
  subject,
  owner: 'ann',
  dueAtMs: NOW_MS + delayMs,
  ...more,
});
export const key = (subject: string) => ({ kind: 'order', subject });

/** A timer of a thing, as its home wants it. */
export const thing = (owner: string, id: string, delayMs: number) => ({
  ...thingKey(owner, id),
  owner,
  dueAtMs: NOW_MS + delayMs,
});
export const thingKey = (owner: string, id: string) => ({ kind: 'feeding', subject: `${owner}~${id}` });

export const completed = ({ id, revision, fireAtMs }: Timer, result?: unknown): TimerUpdate => ({
  timerId: id,
  revision,
  fireAtMs,
  attempt: 0,
  state: 'completed',
  result,
});

/** A store for each test, on a clock that the test moves. */
export class StoreScene {
  nowMs = NOW_MS;
  #under: StoreUnderTest | undefined;

  static each(make: MakeStore): StoreScene {
    const scene = new StoreScene();
    beforeEach(async () => {
      scene.nowMs = NOW_MS;
      scene.#under = await make(() => scene.nowMs);
    });
    afterEach(() => scene.#under?.dispose());
    return scene;
  }

  get store(): TimerStore {
    return this.#used.store;
  }

  get #used(): StoreUnderTest {
    if (this.#under === undefined) throw new Error('no test has begun');
    return this.#under;
  }

  changeThings(changes: ThingTimers): Promise<IndexChanges> {
    return this.#used.changeThings(changes);
  }

  /** As a process does that starts: things are of the module `pets`. */
  registerThings({ kind = 'feeding', isRetired = false } = {}): Promise<void> {
    return this.store.registerKinds([{ kind, retentionMs: undefined, module: 'pets', isRetired }]);
  }

  async schedule(timer: NewTimer): Promise<Timer> {
    const [outcome] = await this.store.schedule([timer]);
    if (outcome === undefined) throw new Error('no outcome');
    return outcome.timer;
  }

  async idsOf(subjects: readonly string[]): Promise<readonly string[]> {
    return (await this.store.find(subjects.map(key))).map((timer) => timer?.id ?? '');
  }
}
