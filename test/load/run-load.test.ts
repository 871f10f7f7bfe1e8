import { expect, it } from 'vitest';
import { commandsWithin, playAll } from '../../load/run-load.ts';

it('gives also what is due in the last moments, though each pause takes too long', async () => {
  const options = { url: '', players: 50, rampUpMs: 0, forMs: 100, perSec: 1000, seed: 1, play: undefined as never };
  let nowMs = 0;
  let given = 0;
  const free = new Set(
    Array.from({ length: options.players }, () => {
      const player = {
        play: async () => {
          given += 1;
          free.add(player);
        },
      };
      return player;
    }),
  ) as Set<{ play(): Promise<void> }>;
  const world = {
    monotonicMs: () => nowMs,
    pause: async (ms: number) => {
      nowMs += ms + 3;
    },
    measures: undefined as never,
    isMeasuring: () => true,
  };
  const { signal } = new AbortController();
  await playAll({ options, free, world, signal, startedAtMs: 0, onProgress: () => undefined });
  expect(given).toBe(commandsWithin(options, options.forMs));
});
