import { describe, expect, it } from 'vitest';
import { assumedPlay, batchOf, bounds, measuredCosts, needOf, type UnitCosts } from '../../bench/figures/scale.ts';
import { growthExponent } from '../../bench/rows/game/growth.ts';

describe('a growth exponent', () => {
  it('is 0 where nothing grows, 1 where all grows with the size, and the slope in between', () => {
    const of = (exponent: number) =>
      growthExponent([10, 100, 1_000].map((size) => [size, 7 * size ** exponent] as const));
    expect(of(0)).toBeCloseTo(0);
    expect(of(1)).toBeCloseTo(1);
    expect(of(0.1)).toBeCloseTo(0.1);
    expect(of(-0.2)).toBeCloseTo(-0.2);
  });
});

describe('the model', () => {
  const cpu = { nodeMicros: 100, postgresMicros: 100 };
  const costs: UnitCosts = {
    command: {
      shared: cpu,
      alone: { nodeMicros: 1_100, postgresMicros: 2_100, tookMs: 2 },
      walBytes: 2_000,
      imageBytes: 8_000,
    },
    completion: { ...cpu, redisMicros: 20, redisCommands: 5, walBytes: 3_000 },
    messageMicros: 50,
    joinMicros: 4_000,
    room: { bytes: 30_000, microsASecond: 20 },
    playerBytes: 2_000,
    eventBytes: 400,
    redisBytesATimer: 300,
  };
  const play = { ...assumedPlay, players: 864_000, feedingsADay: 1, commandsAFeeding: 2, peakFactor: 5, joinsADay: 0 };
  const need = needOf(play, costs, { ...bounds, busyShare: 1, lanesAProcess: 4 });

  it('reckons as the page says, by hand', () => {
    expect(need).toMatchObject({ completionsASecond: 50, commandsASecond: 100, commandsABatch: 1, gateways: 8 });
    // 86,400 rooms; each command alone, its message, and the rooms themselves.
    expect(need.gatewayCores).toBeCloseTo((100 * (1_100 + 50) + 86_400 * 20) / 1e6);
    expect(need.postgresCores).toBeCloseTo((100 * 2_100 + 50 * 100) / 1e6);
    expect(need.workerCores).toBeCloseTo(0.005);
    expect(need.walBytesADay.without).toBeCloseTo(864_000 * (2 * 2_000 + 3_000));
    expect(need.walBytesADay.withImages).toBeCloseTo(864_000 * (2 * 10_000 + 11_000));
    expect(need.diskBytes).toBeCloseTo(864_000 * (2_000 + 3 * 90 * 400));
    expect(need.redisBytes).toBeCloseTo(864_000 * 300);
  });

  it('lets commands share a transaction only where all lanes are busy', () => {
    expect(batchOf(1_000, 2, 4)).toBe(1);
    expect(batchOf(8_000, 2, 4)).toBe(4);
    const crowded = needOf({ ...play, players: play.players * 400, onlineShare: 0 }, costs, bounds);
    expect(crowded.commandsABatch).toBeGreaterThan(1);
    expect(crowded.postgresCores).toBeLessThan(400 * needOf({ ...play, onlineShare: 0 }, costs, bounds).postgresCores);
  });

  it('needs no less of anything for more players, with the recorded costs', () => {
    const recorded = measuredCosts();
    const [small, large] = [10_000, 1_000_000].map((players) => needOf({ ...assumedPlay, players }, recorded, bounds));
    for (const [name, value] of Object.entries(large ?? {})) {
      if (typeof value !== 'number') continue;
      expect(value, name).toBeGreaterThan(0);
      expect(value, name).toBeGreaterThanOrEqual(Number(Reflect.get(small ?? {}, name)));
    }
  });
});
