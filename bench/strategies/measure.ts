// Measures one contender in its own process: `answerJob`.
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../server/adapter/machine/system-clock.ts';
import { ManualClock } from '../../server/runtime/manual-clock.ts';
import { randomFrom } from '../../shared/random-from.ts';
import { answerJob } from '../harness/contender-run.ts';
import { memoryBytes } from '../harness/memory.ts';
import { startLoops } from '../timers/hand-offs.ts';
import { epochClock } from '../timers/lateness-log.ts';
import { HandOffLog } from './hand-off-log.ts';
import { Job } from './result/results.ts';
import { cleanStoreBytes, openStoreCpu, type StoreCpu, shareOf, watchCpu } from './store-use.ts';
import { type Contender, contenders, NOTHING } from './systems/contenders.ts';
import type { Item, Strategy } from './systems/strategy.ts';

type Found = Record<string, number>;

const LEAD_MS = 700;
const WARM_UP_MOVES = 500;
const HOUR_MS = 3_600_000;
/** The first fifth warms compilers and caches. */
const NOT_COUNTED = 0.2;
/** CPU counts from here on: reading it stops this process for a moment, which is over when lateness begins to count. */
const CPU_FROM = 0.08;
const SETTLE_MS = 200;

interface Measuring extends Job {
  readonly storeCpu: StoreCpu;
}

/** Measures everything about one contender, with so many waiting timers; `found` gets each result at once. */
const measure = async (contender: Contender, job: Measuring, found: Found): Promise<void> => {
  const dueAtMs = farDueTimes(job.pending);
  const virtual = contender.isVirtual ? new ManualClock(minuteStartMs()) : undefined;
  const epochMs = epochClock();
  const turns = { startedAtMs: 0 };
  // On a virtual clock a turn begins in time, and takes its real time.
  const nowMs = virtual ? () => virtual.nowMs() + performance.now() - turns.startedAtMs : epochMs;
  const log = new HandOffLog(nowMs);
  const clock = virtual ?? systemClock;
  const strategy = await contender.open({ ...job.servers, clock, hand: log.note });
  const storesNow = () => cleanStoreBytes(job.servers.redisUrl, job.servers.postgresUrl);
  const [heapBefore, storesBefore] = [await memoryBytes(), await storesNow()];
  await fill(strategy, dueAtMs);
  const [heapBytes, stores] = [(await memoryBytes()) - heapBefore, await storesNow()];
  found.heapBytes = heapBytes / job.pending;
  found.redisBytes = (stores.redisBytes - storesBefore.redisBytes) / job.pending;
  found.diskBytes = (stores.postgresBytes - storesBefore.postgresBytes) / job.pending;

  await measureMoves(strategy, dueAtMs, job, found);
  const turn = virtual
    ? () => {
        turns.startedAtMs = performance.now();
        return Promise.all(strategy.loops.map((loop) => loop()));
      }
    : undefined;
  if (virtual && turn) await onOwnClock({ contender, strategy, log, job, clock: virtual, turn }, found);
  else await inRealTime({ contender, strategy, log, job }, found);
  await strategy.close();
};

const minuteStartMs = (): number => Math.floor(Date.now() / 60_000) * 60_000;

/** The loops stand still meanwhile, except those of the engine, which cannot. */
const measureMoves = async (strategy: Strategy, dueAtMs: Float64Array, job: Measuring, found: Found): Promise<void> => {
  const move = strategy.move?.bind(strategy);
  if (move === undefined) return;
  const random = randomFrom(9);
  const run = async (count: number): Promise<void> => {
    const ids = new Set(Array.from({ length: count }, () => Math.floor(random() * dueAtMs.length)));
    const moves = [...ids].map((id) => {
      const fromDueAtMs = dueAtMs[id] ?? 0;
      dueAtMs[id] = fromDueAtMs + HOUR_MS;
      return { id, fromDueAtMs, dueAtMs: fromDueAtMs + HOUR_MS };
    });
    await calls(moves, move);
    moved = moves.length;
  };
  let moved = 0;
  await run(WARM_UP_MOVES);
  const cpu = watchCpu(job.storeCpu);
  await run(job.sizes.moves);
  found.moveCpu = shareOf(cpu(), moved);
};

interface Stage {
  readonly contender: Contender;
  readonly strategy: Strategy;
  readonly log: HandOffLog;
  readonly job: Measuring;
}

const nearItems = ({ job }: Stage, startMs: number, dueForMs: number): readonly Item[] => {
  const count = Math.round((job.sizes.duePerSec * dueForMs) / 1_000);
  return Array.from({ length: count }, (_, at) => ({
    id: job.pending + at,
    dueAtMs: Math.round(startMs + (at * dueForMs) / count),
  }));
};

const scheduleNear = async ({ strategy, log, job }: Stage, items: readonly Item[], found: Found): Promise<void> => {
  log.expect(
    job.pending,
    items.map(({ dueAtMs }) => dueAtMs),
  );
  const cpu = watchCpu(job.storeCpu);
  await calls(items, (part) => strategy.schedule(part));
  found.scheduleCpu = shareOf(cpu(), items.length);
};

const inRealTime = async (stage: Stage, found: Found): Promise<void> => {
  const { contender, strategy, log, job } = stage;
  const { dueForMs, duePerSec, idleAtMostMs } = job.sizes;
  const schedulingMs = (dueForMs * duePerSec) / 5_000;
  const startMs = Date.now() + LEAD_MS + schedulingMs;
  const items = nearItems(stage, startMs, dueForMs);
  await scheduleNear(stage, items, found);
  const stopLoops = startLoops(strategy.loops, strategy.onWake?.bind(strategy));
  await sleep(startMs + CPU_FROM * dueForMs - Date.now());
  const [cpu, handedBefore] = [watchCpu(job.storeCpu), log.handed];
  await log.waitForAll();
  found.fireCpu = shareOf(cpu(), items.length - handedBefore);
  Object.assign(found, log.lateness(Math.round(NOT_COUNTED * items.length)));
  await measureIdle(Math.min(contender.idleMs, idleAtMostMs), job, found);
  await stopLoops();
};

/** Measures while nothing is due. */
const measureIdle = async (lastsMs: number, job: Pick<Measuring, 'storeCpu'>, found: Found): Promise<void> => {
  // Earlier work has left garbage; collecting it is not idling.
  await memoryBytes();
  await sleep(SETTLE_MS);
  const cpu = watchCpu(job.storeCpu);
  await sleep(lastsMs);
  const { ownUs, storeUs, lastedMs } = cpu();
  found.idleOwnUs = (ownUs / lastedMs) * 1_000;
  found.idleStoreUs = (storeUs / lastedMs) * 1_000;
};

interface OwnClockStage extends Stage {
  readonly clock: ManualClock;
  readonly turn: () => Promise<unknown>;
}

/** One period passes at once: all timers due in it wait for its end, and then for the turn. */
const onOwnClock = async (stage: OwnClockStage, found: Found): Promise<void> => {
  const { contender, log, job, clock, turn } = stage;
  const { periodMs } = contender;
  await turn();
  const items = nearItems(stage, clock.nowMs() + 1, periodMs);
  await scheduleNear(stage, items, found);
  clock.advance(periodMs);
  const cpu = watchCpu(job.storeCpu);
  await turn();
  found.fireCpu = shareOf(cpu(), items.length - 1);
  clock.advance(periodMs);
  const idleCpu = watchCpu(job.storeCpu);
  await turn();
  const { ownUs, storeUs } = idleCpu();
  found.idleOwnUs = (ownUs / periodMs) * 1_000;
  found.idleStoreUs = (storeUs / periodMs) * 1_000;
  await log.waitForAll();
  Object.assign(found, log.lateness(0));
};

/** Timers in a call, and calls in flight at once. */
const A_CALL = 100;
const FILL_A_CALL = 1_000;
const LANES = 4;
const FAR_MS = 4 * 3_600_000;

/** The due times of the waiting timers, by id: in four to eight hours. */
const farDueTimes = (count: number): Float64Array => {
  const random = randomFrom(8);
  const startMs = Date.now() + FAR_MS;
  return Float64Array.from({ length: count }, () => startMs + Math.floor(random() * FAR_MS));
};

const calls = <Each>(items: readonly Each[], call: (part: readonly Each[]) => Promise<void>): Promise<void> =>
  inParts(items.length, A_CALL, (from, to) => call(items.slice(from, to)));

/** Without a list of all timers, because its memory would count. */
const fill = (strategy: Strategy, dueAtMs: Float64Array): Promise<void> =>
  inParts(dueAtMs.length, FILL_A_CALL, (from, to) =>
    strategy.schedule(Array.from(dueAtMs.subarray(from, to), (atMs, at): Item => ({ id: from + at, dueAtMs: atMs }))),
  );

const inParts = async (count: number, size: number, work: (from: number, to: number) => Promise<void>) => {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) {
      const from = next;
      next += size;
      await work(from, Math.min(count, from + size));
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
};

await answerJob(Job, async (job: Job, { figures }): Promise<void> => {
  const storeCpu = await openStoreCpu(job.servers.redisUrl, job.servers.postgresUrl);
  if (job.contender === NOTHING) {
    await measureIdle(job.sizes.idleAtMostMs, { storeCpu }, figures);
    delete figures.idleOwnUs;
    return;
  }
  const contender = contenders.find(({ name }) => name === job.contender);
  if (contender === undefined) throw new Error(`no contender ${job.contender}`);
  await measure(contender, { ...job, storeCpu }, figures);
});
