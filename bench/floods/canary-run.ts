import { setTimeout as pass } from 'node:timers/promises';
import { joinHome } from '../../test/support/game/player.ts';
import type { Sample } from '../harness/row.ts';
import { quantile } from '../harness/spread.ts';
import { type FloodKind, startFlood } from './flood.ts';
import type { VictimServer } from './victim-server.ts';

export interface CanaryOptions {
  /** Undefined: a day like any other. */
  readonly flood: FloodKind | undefined;
  readonly forMs: number;
}

const EVERY_MS = 50;
const WARM_UP = 40;
/** What the first abuse costs a process is its warming up. */
const FIRST_FLOOD_MS = 4_000;

/** An honest player feeds a pet and stops it again, twenty commands a second: how long each takes, beside a flood. */
export const runCanary = async (server: VictimServer, { flood, forMs }: CanaryOptions): Promise<Sample> => {
  const player = await joinHome(server.address);
  const { petId } = await player.ask('home:adopt', { name: 'Birdie', species: 'dog' });
  const tookMs: number[] = [];
  const play = async (at: number): Promise<void> => {
    const startedAtMs = performance.now();
    await player.ask(at % 2 === 0 ? 'home:feed' : 'home:stop', at % 2 === 0 ? { petId, food: 'dog-food' } : { petId });
    const took = performance.now() - startedAtMs;
    tookMs.push(took);
    await pass(Math.max(0, EVERY_MS - took));
  };
  for (let at = 0; at < WARM_UP; at += 1) await play(at);
  if (flood !== undefined) {
    const first = await startFlood(flood, server);
    await pass(FIRST_FLOOD_MS);
    await first.stop();
  }
  tookMs.length = 0;
  const beforeMb = server.rssMb();
  const running = flood === undefined ? undefined : await startFlood(flood, server);
  const startedAtMs = performance.now();
  for (let at = 0; performance.now() - startedAtMs < forMs; at += 1) await play(at);
  const seconds = (performance.now() - startedAtMs) / 1_000;
  const afterMb = server.rssMb();
  const attempts = (await running?.stop()) ?? 0;
  await player.room.leave();
  return {
    p50: quantile(tookMs, 0.5),
    p99: quantile(tookMs, 0.99),
    max: quantile(tookMs, 1),
    abuse: attempts / seconds,
    memory: afterMb,
    growth: afterMb - beforeMb,
  };
};
