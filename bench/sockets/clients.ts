import { setTimeout as sleep } from 'node:timers/promises';
import { joinHome, type Player } from '../../test/support/game/player.ts';
import type { Sample } from '../harness/row.ts';
import { quantile } from '../harness/spread.ts';
import { epochClock } from '../lateness/epoch-clock.ts';
import { MEAL_MS } from './cluster.ts';

const JOINING_AT_ONCE = 16;

/** Players who feed their pet each time it has eaten up: how long after its due time they hear of each meal's end. */
export const measureClients = async (
  addresses: readonly string[],
  playersAnAddress: number,
  meals: number,
): Promise<Sample> => {
  const players = await joinAll(addresses.flatMap((address) => Array(playersAnAddress).fill(address)));
  const epochMs = epochClock();
  const lateMs: number[] = [];
  // The first meals are spread over one meal's time, and all others follow from them.
  const lives = players.map(async (player, at) => {
    const { petId } = await player.ask('home:adopt', { name: 'Rex', species: 'dog' });
    await sleep((at * MEAL_MS) / players.length);
    for (let meal = 0; meal < meals; meal += 1) {
      const { feedingId } = await player.ask('home:feed', { petId, food: 'dog-food' });
      const done = await player.saw((event) => event.type === 'feeding-completed' && event.feedingId === feedingId);
      lateMs.push(epochMs() - done.at);
    }
    await player.room.leave();
  });
  await Promise.all(lives);
  if (quantile(lateMs, 0) < 0) throw new Error('a timer was early');
  return { p50: quantile(lateMs, 0.5), p99: quantile(lateMs, 0.99), max: quantile(lateMs, 1) };
};

const joinAll = async (addresses: readonly string[]): Promise<readonly Player[]> => {
  const players: Player[] = [];
  const waiting = addresses.values();
  const lane = async (): Promise<void> => {
    for (const address of waiting) players.push(await joinHome(address));
  };
  await Promise.all(Array.from({ length: JOINING_AT_ONCE }, lane));
  return players;
};
