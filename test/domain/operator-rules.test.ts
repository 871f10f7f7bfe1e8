import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OperatorCommand } from '../../server/domain/scene.ts';
import { type Home, newHome } from '../../shared/home.ts';
import { addItems } from '../../shared/items.ts';
import { LATEST_MS } from '../../shared/latest-ms.ts';
import { petsEventBody as eventBody } from '../../shared/pets/events.ts';
import { dueOf } from '../../shared/pets/feeding.ts';
import { petsOf } from '../../shared/pets/pet.ts';
import type { HomeEvent } from '../../shared/pets/protocol.ts';
import { catalogueArbitrary, historyArbitrary } from '../../testing/arbitraries.ts';
import { fold, judge, mergeHomes, settle, timersOf } from '../../testing/pets-engine.ts';
import { PLAYER_ID, play } from '../../testing/play.ts';
import { holds } from '../support/properties/property-runs.ts';
import { HOUR_MS, Scene, T0 } from '../support/properties/scene.ts';

const by = { by: 'ada', reason: 'because of a test' };
const acts = fc.array(
  fc.record({
    afterMs: fc.nat(6),
    type: fc.constantFrom('ops:shift', 'ops:advance', 'ops:stop', 'ops:freeze', 'ops:unfreeze'),
    pet: fc.nat(3),
    byMs: fc.integer({ min: -20, max: 20 }).filter((ms) => ms !== 0),
  }),
  { maxLength: 12 },
);
type Sketch = (typeof acts extends fc.Arbitrary<infer All extends readonly unknown[]> ? All : never)[number];

const commandOf = ({ type, pet, byMs }: Sketch, home: Home): OperatorCommand => {
  const petId = petsOf(home)[pet % Math.max(1, petsOf(home).length)]?.petId ?? 'nobody';
  if (type === 'ops:shift') return { type, module: 'pets', thing: petId, byMs, ...by };
  if (type === 'ops:advance') return { type, byMs: Math.abs(byMs), ...by };
  if (type === 'ops:stop') return { type, module: 'pets', thing: petId, ...by };
  return { type: type as 'ops:freeze' | 'ops:unfreeze', ...by };
};

const expectEvents = (log: readonly HomeEvent[]): void => {
  for (const [at, { v: _v, seq, at: _at, commandId: _id, ...body }] of log.entries()) {
    expect(eventBody.safeParse(body).error).toBeUndefined();
    expect(seq).toBe((log[0]?.seq ?? 1) + at);
  }
};

describe('whatever an operator does', () => {
  it('the log folds to the home, its events are those of the contract, and the timers are the running feedings', () => {
    holds([catalogueArbitrary, historyArbitrary, acts], (catalogue, history, sketches) => {
      const played = play(catalogue, history);
      let { home } = played;
      let nowMs = home.lastAtMs;
      const log: HomeEvent[] = [];
      for (const [at, sketch] of sketches.entries()) {
        nowMs += sketch.afterMs;
        const found = fold(home, settle(home, nowMs));
        const command = commandOf(sketch, found);
        const judged = judge({ catalogue, home, command, commandId: `ops-${at}-command`, nowMs });
        const events = [...judged.settled, ...(judged.decision.ok ? judged.decision.value : [])];
        log.push(...events);
        expect(fold(home, events)).toEqual(judged.home);
        home = judged.home;
        for (const timer of timersOf(home)) expect(timer.dueAtMs).toBeGreaterThan(nowMs);
        for (const count of Object.values(home.items)) expect(count).toBeGreaterThan(0);
      }
      expectEvents(log);
    });
  });

  it("a shift beyond the clock's end is refused: feeding/too-long", () => {
    const scene = new Scene({ 'dog-food': 1 });
    scene.feed(T0);
    const shift = (byMs: number) =>
      judge({
        catalogue: scene.catalogue,
        home: scene.home,
        command: { type: 'ops:shift', module: 'pets', thing: scene.id(), byMs, ...by },
        commandId: 'command-shift',
        nowMs: T0,
      }).decision;
    const leftMs = LATEST_MS - T0 - (scene.dueAfterMs() ?? 0);
    expect(shift(leftMs)).toMatchObject({ ok: false, error: { code: 'feeding/too-long', retryable: false } });
    expect(shift(leftMs - 1)).toMatchObject({ ok: true, value: [{ dueAt: LATEST_MS - 1 }] });
  });

  it('a shift moves the due time by what was asked, and never before now', () => {
    holds(
      [catalogueArbitrary, historyArbitrary, fc.nat(3), fc.integer({ min: -30, max: 30 })],
      (catalogue, history, at, byMs) => {
        const { home } = play(catalogue, history);
        const nowMs = home.lastAtMs;
        const pet = petsOf(home).filter(({ feeding }) => feeding)[at];
        if (!pet || byMs === 0) return;
        const command = { type: 'ops:shift', module: 'pets', thing: pet.petId, byMs, ...by } as const;
        const { decision } = judge({ catalogue, home, command, commandId: 'ops-command', nowMs });
        if (!decision.ok) throw new Error(decision.error.code);
        const shifted = petsOf(fold(home, decision.value.slice(0, 1))).find(({ petId }) => petId === pet.petId);
        expect(shifted && dueOf(shifted)).toBe(Math.max(nowMs, (dueOf(pet) ?? 0) + byMs));
      },
    );
  });
});

describe('merging homes', () => {
  it('loses no pet, card or item, moves no due time, and both logs fold to their homes', () => {
    holds([catalogueArbitrary, historyArbitrary, historyArbitrary], (catalogue, first, second) => {
      const played = [play(catalogue, first).home, play(catalogue, second).home] as const;
      const nowMs = Math.max(played[0].lastAtMs, played[1].lastAtMs);
      const [found, account] = played.map((home) => fold(home, settle(home, nowMs))) as [Home, Home];
      const guest = { ...found, playerId: 'guest' };
      const merge = mergeHomes({ guest, account, commandId: 'merge-command', nowMs, ...by });
      const [left, got] = [fold(guest, merge.guest), fold(account, merge.account)];
      expectEvents(merge.guest);
      expectEvents(merge.account);
      expect(left).toMatchObject({ items: {}, things: {}, frozenAtMs: nowMs });
      expect(got.items).toEqual(addItems(guest.items, account.items));
      expect(petsOf(got).map(({ name, xp, armed }) => [name, xp, armed])).toEqual(
        [...petsOf(account), ...petsOf(guest)].map(({ name, xp, armed }) => [name, xp, armed]),
      );
      expect(petsOf(got).map(dueOf)).toEqual([...petsOf(account), ...petsOf(guest)].map(dueOf));
      expect(new Set(petsOf(got).map(({ petId }) => petId)).size).toBe(petsOf(got).length);
      for (const { subject, owner } of timersOf(got))
        expect([owner, subject.split('~')[0]]).toEqual([PLAYER_ID, PLAYER_ID]);
    });
  });
});

describe('a frozen player', () => {
  const frozen = (): Scene => {
    const scene = new Scene({ 'dog-food': 5, 'auto-feed': 2 });
    scene.feed(T0);
    scene.send(T0, { type: 'ops:freeze', ...by } as never);
    return scene;
  };

  it('may do nothing; what the server gives and takes is accepted', () => {
    const scene = frozen();
    expect(scene.feed(T0 + HOUR_MS)).toBe('player/frozen');
    expect(scene.send(T0, { type: 'home:adopt', name: 'Tom', species: 'cat' })).toBe('player/frozen');
    expect(scene.send(T0, { type: 'home:grant', items: { boost: 1 }, reason: 'bought' })).toMatchObject({ seq: 5 });
    expect(scene.send(T0, { type: 'home:take', items: { boost: 1 }, reason: 'refund' })).toMatchObject({ seq: 6 });
  });

  it('has feedings that go on', () => {
    const scene = frozen().look(T0 + 5 * HOUR_MS);
    expect(scene.log.at(-1)).toMatchObject({ type: 'feeding-completed', at: T0 + 4 * HOUR_MS });
    expect(fold(newHome('anna'), scene.log)).toEqual(scene.home);
  });
});
