import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LATEST_MS } from '../../shared/latest-ms.ts';
import { timersOf } from '../../testing/pets-engine.ts';
import { Scene } from '../support/properties/scene.ts';

describe("near the clock's end", () => {
  it('no event and no timer is due then or later, and what was armed is eaten or still there', () => {
    const near = fc.record({
      beforeMs: fc.integer({ min: 1, max: 40 }),
      workMs: fc.integer({ min: 1, max: 30 }),
      armed: fc.integer({ min: 1, max: 6 }),
      food: fc.integer({ min: 1, max: 8 }),
      isBoosted: fc.boolean(),
      grantAfterMs: fc.nat(40),
    });
    let refused = 0;
    fc.assert(
      fc.property(near, ({ beforeMs, workMs, armed, food, isBoosted, grantAfterMs }) => {
        const scene = new Scene({ hay: food, again: armed, fast: 1 }, 1, {
          foods: { hay: { workMs, xp: 1 } },
          cards: { again: { effect: 'repeat', times: 1 }, fast: { effect: 'rate', rate: 3, lastsMs: 9 } },
        });
        const nowMs = LATEST_MS - beforeMs;
        const fed = scene.feed(nowMs, 'hay');
        if (fed === 'feeding/too-long') refused += 1;
        expect(fed === 'feeding/too-long').toBe(workMs >= beforeMs);
        if (isBoosted) scene.card(nowMs, 'fast');
        scene.card(nowMs, 'again', { count: armed });
        scene.grant(Math.min(nowMs + grantAfterMs, LATEST_MS - 1), { hay: 1 });
        scene.look(LATEST_MS + 100);
        for (const event of scene.log) if ('dueAt' in event) expect(event.dueAt).toBeLessThan(LATEST_MS);
        expect(timersOf(scene.home)).toEqual([]);
        const started = scene.log.filter((event) => event.type === 'feeding-started' && event.by === 'card').length;
        const left = scene.pet().armed.reduce((sum, card) => sum + card.left, 0);
        expect(started + left + scene.count('again')).toBe(armed);
      }),
    );
    expect(refused).toBeGreaterThan(0);
  });

  it('a feeding without food is refused for its food first', () => {
    const scene = new Scene({ hay: 0 }, 1, { foods: { hay: { workMs: 30, xp: 1 } } });
    expect(scene.feed(LATEST_MS - 1, 'hay')).toBe('item/out-of-stock');
  });
});
