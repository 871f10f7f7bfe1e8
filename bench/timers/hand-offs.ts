import { systemClock } from '../../server/adapter/machine/system-clock.ts';
import type { Clock } from '../../server/runtime/clock.ts';
import { Loop } from '../../server/runtime/loop.ts';
import { StoreClock } from '../../server/timer/clock/store-clock.ts';
import { Dispatcher } from '../../server/timer/dispatch/dispatcher.ts';
import type { DueIndex } from '../../server/timer/index/due-index.ts';
import { silentLog } from '../../test/support/log/logs.ts';

const LIMIT = 500;
const WAIT_MS = 1_000;

type Tick = (signal: AbortSignal) => Promise<number>;

interface HandOffs {
  /** One turn of each dispatcher. */
  readonly ticks: readonly Tick[];
  /** Calls `wake` with a dispatcher's number when its shard got an earlier head. */
  onWake(wake: (dispatcher: number) => void): void;
  /** Ends the worker and stops waking. */
  stop(): Promise<void>;
}

/** The product's dispatchers on an index, and a worker that passes handed-off timers to `onTimers`. No rows. */
export const openHandOffs = (index: DueIndex, clock: Clock, onTimers: (ids: readonly number[]) => void): HandOffs => {
  const storeClock = new StoreClock({ nowMs: async () => clock.nowMs() }, clock);
  const dispatchers = Array.from(
    { length: index.inUse.shards },
    (_, shard) => new Dispatcher({ index, shard, isOwn: () => true, storeClock, limit: LIMIT }),
  );
  const stopWorker = startLoops([
    async (signal) => {
      const deliveries = await index.queue.receive(LIMIT, WAIT_MS, signal);
      if (deliveries.length > 0)
        onTimers(deliveries.flatMap(({ timers }) => timers.map(({ timerId }) => Number(timerId))));
      await index.queue.ack(deliveries);
      return 0;
    },
  ]);
  let stopWaking = (): void => undefined;
  return {
    ticks: dispatchers.map(({ tick }) => tick),
    onWake: (wake) => {
      stopWaking = index.handOffs.onEarlierHead((shard, fireAtMs) =>
        dispatchers.forEach((dispatcher, at) => {
          if (dispatcher.isEarlier(shard, fireAtMs)) wake(at);
        }),
      );
    },
    stop: async () => {
      stopWaking();
      await stopWorker();
    },
  };
};

/** Runs each as the product's loops do. Returns a function that stops them. */
export const startLoops = (
  ticks: readonly Tick[],
  onWake?: (wake: (tick: number) => void) => void,
): (() => Promise<void>) => {
  const loops = ticks.map((tick) => new Loop({ name: 'bench', clock: systemClock, log: silentLog, tick }));
  onWake?.((at) => loops[at]?.wake());
  for (const loop of loops) loop.start();
  return async () => void (await Promise.all(loops.map((loop) => loop.stop())));
};
