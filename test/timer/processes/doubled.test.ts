import { setTimeout as pass } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { expect, inject, it } from 'vitest';
import { randomOf } from '../../chaos/play/random.ts';
import { HANG_MS, tries } from '../../proof/table/tries.ts';
import { prove } from '../../support/properties/prove.ts';
import { startRedis } from '../../support/redis/redis-server.ts';
import { firingProcesses } from './firing-processes.ts';

const TIMERS = tries({ test: 2_000, proof: 120_000 });
const SPAN_MS = tries({ test: 1_500, proof: 80_000 });
/** A busy machine reads fewer deliveries before they are acked: then more timers follow. */
const DOUBLED = tries({ test: TIMERS / 2, proof: 100_000 });
const MORE = tries({ test: 500, proof: 20_000 });
const LEAD_MS = tries({ test: 1_000, proof: 5_000 });
/** How often a worker is stopped; longer than what others wait before they take over what it had. */
const STOPS = tries({ test: 0, proof: 4 });
const STOPPED_MS = 6_000;
const MOST_TIMES = 5;
const SEED = 7;

/** Says each delivery again, none to four times more, in another order, to whichever process takes it. */
const echo = (url: string) => {
  const [reader, writer] = [new Redis(url), new Redis(url)];
  const random = randomOf(SEED);
  const own = new Set<string>();
  const seen = new Map<string, string>();
  let doubled = 0;
  let isRunning = true;
  const copy = async (stream: string, fields: readonly string[]): Promise<void> => {
    const timers = Array.from({ length: fields.length / 2 }, (_, at) => fields.slice(2 * at, 2 * at + 2));
    for (let times = random.below(MOST_TIMES); times > 0; times -= 1) {
      const shuffled = timers.map((timer) => ({ timer, place: random.next() })).sort((a, b) => a.place - b.place);
      own.add(String(await writer.xadd(stream, '*', ...shuffled.flatMap(({ timer }) => timer))));
      doubled += timers.length;
    }
  };
  const turn = async (): Promise<void> => {
    while (isRunning) {
      for (const stream of await writer.keys('*handoff')) if (!seen.has(stream)) seen.set(stream, '0');
      if (seen.size === 0) continue;
      const read = await reader.xread('BLOCK', 20, 'STREAMS', ...seen.keys(), ...seen.values());
      for (const [stream, entries] of read ?? []) {
        for (const [id, fields] of entries) {
          seen.set(stream, id);
          if (!own.delete(id)) await copy(stream, fields);
        }
      }
    }
  };
  const running = turn();
  return {
    doubled: () => doubled,
    stop: async (): Promise<void> => {
      isRunning = false;
      await running;
      for (const client of [reader, writer]) client.disconnect();
    },
  };
};

it.skipIf(inject('redisUrl') === '')(
  `fires each of ${TIMERS} timers once, though each delivery comes up to ${MOST_TIMES} times to three processes`,
  { timeout: HANG_MS },
  async (context) => {
    const redis = await startRedis();
    const { nodes, schedule, fired, judge, nowMs, stop } = await firingProcesses({
      redis: redis.url,
      environments: [{}, {}, {}],
    });
    const echoing = echo(redis.url);
    const startMs = (await nowMs()) + LEAD_MS;
    await schedule(TIMERS, (at) => startMs + (at * SPAN_MS) / TIMERS);
    for (let stops = 1; stops <= STOPS; stops += 1) {
      await fired((stops * TIMERS) / (STOPS + 2), LEAD_MS + SPAN_MS + 60_000);
      const worker = nodes[stops % nodes.length]?.child;
      worker?.kill('SIGSTOP');
      await pass(STOPPED_MS);
      worker?.kill('SIGCONT');
    }
    let timers = TIMERS;
    await fired(timers, LEAD_MS + SPAN_MS + 60_000);
    const more = async (count: number, withinMs: number): Promise<void> => {
      const fromMs = await nowMs();
      timers += count;
      await schedule(count, (at) => fromMs + (at * withinMs) / count);
      await fired(timers, withinMs + 60_000);
    };
    while (echoing.doubled() <= DOUBLED) await more(MORE, (MORE * SPAN_MS) / TIMERS);
    await echoing.stop();
    // All second deliveries are over: the rest is read before the verdict.
    await more(1_000, 0);

    const { mostLateMs: _, ...judged } = await judge();
    expect(judged).toEqual({ effects: timers, timers, unfired: 0, early: 0 });
    const doubled = echoing.doubled();
    await stop();
    await redis.stop();
    prove(
      context,
      { row: 7, tries: doubled, of: 'deliveries doubled and shuffled' },
      { row: 7, tries: STOPS, of: 'workers stopped for 6 s and resumed' },
    );
  },
);
