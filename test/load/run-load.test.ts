import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import fc from 'fast-check';
import { build } from 'hdr-histogram-js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rulesAt } from '../../load/known-rules.ts';
import { reportLines } from '../../load/load-lines.ts';
import { isWell, reportOf } from '../../load/load-report.ts';
import { Measures } from '../../load/measures.ts';
import { petsPlay } from '../../load/pets-play.ts';
import { commandsWithin, dueMsOf, type LoadOptions, playAll } from '../../load/run-load.ts';
import { defaultCatalogue } from '../../shared/pets/catalogue.ts';
import { holds } from '../support/properties/property-runs.ts';

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

const paces = fc.record({
  perSec: fc.double({ min: 0.1, max: 10_000, noNaN: true }),
  rampUpMs: fc.integer({ min: 0, max: 60_000 }),
});

it('has no command due before an earlier one, and exactly those of the count before the end', () => {
  holds([paces, fc.integer({ min: 1, max: 60_000 })], (pace, forMs) => {
    const count = commandsWithin(pace, forMs);
    const endMs = pace.rampUpMs + forMs;
    const around = [0, 1, 2, Math.floor(count / 2), count - 1, count].filter((at) => at >= 0).sort((a, b) => a - b);
    const dueMs = around.map((at) => dueMsOf(at, pace));

    expect(dueMs).toEqual([...dueMs].sort((a, b) => a - b));
    expect(dueMsOf(count, pace)).toBeGreaterThanOrEqual(endMs - 1e-6);
    if (count > 0) expect(dueMsOf(count - 1, pace)).toBeLessThan(endMs + 1e-6);
  });
});

it('grows evenly: a quarter of the ramp-up has come by its middle, and then the rate is the one asked for', () => {
  const pace = { perSec: 100, rampUpMs: 10_000 };

  expect(dueMsOf(0, pace)).toBe(0);
  expect(dueMsOf(125, pace)).toBe(5_000);
  expect(dueMsOf(500, pace)).toBe(10_000);
  expect(dueMsOf(600, pace)).toBe(11_000);
  expect(dueMsOf(7, { perSec: 2, rampUpMs: 0 })).toBe(3_500);
});

it('counts the players that played: a run in which some never joined is not well, and says so', () => {
  const measures = new Measures(() => build());
  Object.assign(measures, { joined: 2, sent: 5, finished: 5, accepted: 5 });
  const play = petsPlay(defaultCatalogue);
  const options: LoadOptions = { url: 'http://x', players: 2, perSec: 5, rampUpMs: 0, forMs: 1000, seed: 1, play };
  const outcome = { run: 'r', measures, measuredMs: 1000, unsent: 0, wasStopped: false };
  expect(isWell(reportOf(options, outcome))).toBe(true);
  const asked = reportOf({ ...options, players: 9 }, outcome);
  expect(isWell(asked)).toBe(false);
  expect(reportLines(asked, '')[0]).toContain('by ONLY 2 of 9 players');
});

describe('a server that never replies', () => {
  /** A process that accepts connections and never replies, as a frozen one does. */
  const frozen = createServer();
  const sockets: Socket[] = [];
  let url: string;

  beforeEach(async () => {
    frozen.on('connection', (socket) => sockets.push(socket.on('error', () => undefined)));
    frozen.listen(0, '127.0.0.1');
    await once(frozen, 'listening');
    url = `http://127.0.0.1:${(frozen.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    frozen.close();
    await once(frozen, 'close');
  });

  it('says of a server that never replies that nothing came', async () => {
    const { signal } = new AbortController();
    await expect(rulesAt(url, signal, 50)).rejects.toThrow(`no server answers at ${url}: nothing came in 0.05 s`);
  });

  it('says of a stop that it was one, and blames no server', async () => {
    const stop = new AbortController();
    const asked = rulesAt(url, stop.signal);
    const refused = expect(asked).rejects.toThrow('stopped');
    await once(frozen, 'connection');
    stop.abort();
    await refused;
  });
});
