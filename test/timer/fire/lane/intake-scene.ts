import { ManualClock } from '../../../../server/runtime/manual-clock.ts';
import { StoreClock } from '../../../../server/timer/clock/store-clock.ts';
import { Share } from '../../../../server/timer/fire/batches.ts';
import type { FiringTools } from '../../../../server/timer/fire/firing-tools.ts';
import { Intake } from '../../../../server/timer/fire/intake.ts';
import type { EngineEvent } from '../../../../server/timer/model/engine-event.ts';
import type { IndexChanges, TimerRef } from '../../../../server/timer/model/index-entry.ts';
import type { Timer } from '../../../../server/timer/model/timer.ts';
import type { TimerFields } from '../../../../server/timer/model/timer-changes.ts';
import type { CallKind } from '../../../../server/timer/model/timer-kind.ts';
import { TimerKinds } from '../../../../server/timer/model/timer-kinds.ts';
import { quiet } from '../../../support/engine/lane-scene.ts';
import { FakeTimerStore } from '../../../support/fake-database/fake-timer-store.ts';

export const NOW_MS = 1_790_000_000_000;

/** As a delivery says it. */
export const refOf = ({ id, owner }: Timer): TimerRef => ({ timerId: id, owner });

/** An intake on rows in memory: `ship` is called for, and each call ends by hand; `brew` fires at once; `toll` skips what is late. */
export const makeIntakeScene = async () => {
  const clock = new ManualClock(NOW_MS);
  const store = new FakeTimerStore(clock.nowMs);
  const kinds = new TimerKinds();
  const [told, events]: [IndexChanges[], EngineEvent[]] = [[], []];
  const [warned, failed]: [unknown[], unknown[]] = [[], []];
  const calls: { readonly id: string; readonly signal: AbortSignal; readonly end: (result?: unknown) => void }[] = [];
  const call: CallKind['call'] = ({ id }, signal) =>
    new Promise((end) => {
      calls.push({ id, signal, end });
    });
  const fired: string[] = [];
  const fire = async (timers: readonly Timer[]): Promise<undefined> => {
    fired.push(...timers.map(({ id }) => id));
    return undefined;
  };
  kinds.register({ kind: 'ship', call });
  kinds.register({ kind: 'brew', fire });
  kinds.register({ kind: 'toll', fire, misfire: { afterMs: 1000, late: 'skip' } });
  kinds.register({ kind: 'ferry', call, misfire: { afterMs: 1000, late: 'skip' } });
  const storeClock = new StoreClock(store, clock);
  await storeClock.refresh();
  const index = { isBroken: false };
  const apply = async (changes: IndexChanges): Promise<void> => {
    if (index.isBroken) throw new Error('no index');
    if (changes.put.length + changes.remove.length > 0) told.push(changes);
  };
  const tools = {
    ...{ store, kinds, clock, storeClock, indexWriter: { apply } },
    log: {
      info: () => undefined,
      error: (fields: object) => void failed.push(fields),
      warn: (...line: unknown[]) => void warned.push(line),
    },
    observe: (event: EngineEvent) => events.push(event),
  } as unknown as FiringTools;
  const share = new Share(2);
  const intake = new Intake({ tools, limit: 10, share });
  let subjects = 0;
  const timer = async (kind: string, more: Partial<TimerFields & { dueAtMs: number }> = {}): Promise<Timer> => {
    subjects += 1;
    const wanted = { kind, subject: `${subjects}`, owner: 'ann', dueAtMs: NOW_MS, ...more };
    const [outcome] = await store.schedule([wanted]);
    if (outcome?.outcome !== 'applied') throw new Error('not scheduled');
    return outcome.timer;
  };
  const take = async (...timers: readonly Timer[]) => {
    const { count, settled } = await intake.accept(timers.map(refOf));
    const state = { count, isSettled: false };
    void settled.then(() => {
      state.isSettled = true;
    });
    await quiet();
    return state;
  };
  const row = async ({ id }: Timer) => (await store.find([{ timerId: id }]))[0];
  return { clock, store, kinds, intake, share, index, told, events, warned, failed, calls, fired, timer, take, row };
};
