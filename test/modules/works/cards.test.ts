import { describe, expect, it } from 'vitest';
import type { WorksRules } from '../../../shared/works/rules-file.ts';
import { HOUR_MS, MINUTE_MS, WorksScene } from '../../support/works/works-scene.ts';

const rules = {
  things: { hall: { limit: 1 }, mill: { limit: 1 } },
  slots: { builders: { base: 1, queue: 5 } },
  activities: {
    build: { on: ['hall', 'mill'], workMs: '4h', takes: { wood: 10 } },
    brew: { on: ['hall', 'mill'], slot: 'builders', workMs: '1h', takes: { hop: 1 }, gives: { beer: 1 } },
    upgrade: { on: ['hall'], workMs: ['1h', '2h'], gives: { level: 1 } },
    grow: { on: ['hall'], workMs: '1h', collect: true },
    claim: { on: ['hall'], workMs: '1h', atMost: { times: 5 } },
    climb: { on: ['hall'], workMs: '1h', needs: [{}, { items: { wood: 1 } }] },
    open: { on: ['hall'], workMs: '1h', consumes: true },
    dig: { on: ['mill'], workMs: '1h', gives: { ore: 1 }, auto: true, below: { ore: 99 } },
  },
  cards: {
    'speed-up': { effect: 'cut', workMs: '2h' },
    boost: { effect: 'rate', rate: 2, lastsMs: '1h' },
    rush: { effect: 'rate', rate: 3, lastsMs: '1h' },
    repeat: { effect: 'repeat', times: 1 },
    season: { effect: 'repeat', times: 3 },
    gem: { effect: 'finish', msEach: '10m' },
  },
} satisfies WorksRules;

const CARDS = { 'speed-up': 5, boost: 5, rush: 5, repeat: 5, season: 5, gem: 50 };
const town = (items = {}): WorksScene => {
  const scene = new WorksScene(rules, { wood: 100, ...CARDS, ...items });
  scene.place('hall');
  return scene;
};
const building = (activity = 'build', items = {}): WorksScene => {
  const scene = town(items);
  scene.send('start', { thing: 'hall', activity });
  return scene;
};
const play = (scene: WorksScene, card: string, more = {}) => scene.send('use-card', { thing: 'hall', card, ...more });
const code = (what: string, params = {}) => ({ code: what, params: expect.objectContaining(params) });
const dueAt = (ms: number) => [expect.objectContaining({ dueAt: WorksScene.startMs + ms })];

describe('a card that finishes', () => {
  it('costs one for each begun time that is left, and ends it now', () => {
    const scene = building();
    scene.pass(3 * HOUR_MS + 9 * MINUTE_MS);
    expect(play(scene, 'gem')).toMatchObject([{ card: 'gem', count: 6 }, { type: 'town/finished' }]);
    expect(scene.count('gem')).toBe(44);
    expect(scene.told('finished')).toEqual([['finished hall', 3 * HOUR_MS + 9 * MINUTE_MS]]);
  });

  it('costs one at least, and what is boosted costs less', () => {
    const scene = building();
    play(scene, 'boost');
    expect(play(scene, 'gem', { maxCount: 0 })).toEqual(code('card/would-cost', { count: 18 }));
    scene.pass(3 * HOUR_MS - 1);
    expect(play(scene, 'gem')).toMatchObject([{ count: 1 }, {}]);
  });

  it('that costs more than maxCount is refused, with the cost; or more than there is', () => {
    const scene = building();
    expect(play(scene, 'gem', { maxCount: 23 })).toEqual(code('card/would-cost', { count: 24 }));
    expect(scene.count('gem')).toBe(50);
    scene.take({ gem: 30 });
    expect(play(scene, 'gem', { maxCount: 24 })).toEqual(
      code('item/out-of-stock', { item: 'gem', have: 20, need: 24 }),
    );
    expect(scene.state('hall')).toBe('runs');
  });

  it('is of no use on what waits, rests or has ended', () => {
    const scene = building('brew', { hop: 2 });
    scene.place('mill');
    scene.send('cancel', { thing: 'mill' });
    scene.send('start', { thing: 'mill', activity: 'brew' });
    expect(scene.send('use-card', { thing: 'mill', card: 'gem' })).toEqual(
      code('works/not-running', { thing: 'mill' }),
    );
    scene.pass(HOUR_MS);
    expect(play(scene, 'gem')).toEqual(code('works/not-running', { thing: 'hall' }));
    expect(scene.count('gem')).toBe(50);
  });
});

describe('cut and rate', () => {
  it('take work off, one hour of clock time for two of work inside a boost', () => {
    const scene = building();
    expect(play(scene, 'speed-up')).toEqual(dueAt(2 * HOUR_MS));
    const boosted = building();
    expect(play(boosted, 'boost')).toEqual(dueAt(3 * HOUR_MS));
    expect(play(boosted, 'speed-up')).toEqual(dueAt(HOUR_MS));
  });

  it('end it now when nothing is left, and say what was wasted', () => {
    const scene = building();
    expect(play(scene, 'speed-up', { count: 3, maxWastedMs: HOUR_MS })).toEqual(
      code('card/would-waste', { wastedMs: 2 * HOUR_MS }),
    );
    expect(play(scene, 'speed-up', { count: 3 })).toMatchObject([
      { count: 3, wastedMs: 2 * HOUR_MS },
      { type: 'town/finished' },
    ]);
    expect(scene.count('speed-up')).toBe(2);
  });

  it('let a rate run on into the next activity of the thing', () => {
    const scene = building('brew', { hop: 2 });
    scene.pass(HOUR_MS / 2);
    play(scene, 'boost');
    scene.pass(HOUR_MS / 4);
    scene.send('start', { thing: 'hall', activity: 'brew' });
    expect(scene.told('finished')).toEqual([['finished hall', 0.75 * HOUR_MS]]);
    scene.pass(10 * HOUR_MS);
    // Half an hour of the boost is left: an hour of work takes 0.5 h.
    expect(scene.told('finished').at(-1)).toEqual(['finished hall', 1.25 * HOUR_MS]);
  });

  it('let one rate run at a time, extended by its own, a year at most', () => {
    const scene = building('build', { boost: 10_000 });
    expect(play(scene, 'boost', { count: 2 })).toEqual(dueAt(2 * HOUR_MS));
    expect(play(scene, 'rush')).toEqual(code('boost/other-rate', { rate: 2 }));
    for (let times = 0; times < 8; times++) play(scene, 'boost', { count: 1000 });
    expect(play(scene, 'boost', { count: 1000 })).toEqual(code('boost/too-long'));
  });
});

describe('repeat', () => {
  it('starts the same again at its end, and keeps the slot from those who wait', () => {
    const scene = building('brew', { hop: 5 });
    scene.place('mill');
    scene.send('cancel', { thing: 'mill' });
    scene.send('start', { thing: 'mill', activity: 'brew' });
    play(scene, 'repeat', { count: 2 });
    scene.pass(10 * HOUR_MS);
    expect(scene.told('started')).toEqual([
      ['started hall', 0],
      ['started mill', 0],
      ['started hall', HOUR_MS],
      ['started hall', 2 * HOUR_MS],
      ['started mill', 3 * HOUR_MS],
    ]);
    expect(scene.home.items).toMatchObject({ hop: 1, beer: 4, repeat: 3 });
  });

  it('leaves the slot without items, waits from then, and goes on when they come', () => {
    const scene = building('brew', { hop: 2 });
    scene.place('mill');
    scene.send('cancel', { thing: 'mill' });
    scene.send('start', { thing: 'mill', activity: 'brew' });
    play(scene, 'repeat');
    scene.pass(HOUR_MS);
    expect([scene.state('hall'), scene.state('mill')]).toEqual(['waits', 'runs']);
    scene.pass(MINUTE_MS).grant({ hop: 1 });
    expect(scene.state('hall')).toBe('waits');
    scene.pass(HOUR_MS);
    expect(scene.told('started').at(-1)).toEqual(['started hall', 2 * HOUR_MS]);
    expect([scene.count('hop'), scene.thing('hall')?.task]).toEqual([0, expect.objectContaining({ armed: [] })]);
  });

  it('comes back with a cancel, but a card of which a part was used', () => {
    const scene = building('brew', { hop: 9 });
    play(scene, 'season', { count: 2 });
    play(scene, 'repeat');
    scene.pass(HOUR_MS);
    expect(scene.home.items).toMatchObject({ season: 3, repeat: 4 });
    scene.send('cancel', { thing: 'hall' });
    expect(scene.home.items).toMatchObject({ season: 4, repeat: 5, hop: 7 });
  });

  it('comes back from what waits for its items as well', () => {
    const scene = building('brew', { hop: 1 });
    play(scene, 'repeat');
    scene.pass(HOUR_MS).send('cancel', { thing: 'hall' });
    expect(scene.home.items).toMatchObject({ repeat: 5, beer: 1 });
    expect(scene.state('hall')).toBe('rests');
  });

  it.each(['upgrade', 'grow', 'open', 'climb', 'claim'])('is not for %s, whose like cannot follow', (activity) => {
    const scene = building(activity);
    expect(play(scene, 'repeat')).toEqual(code('card/not-here', { card: 'repeat', activity }));
    expect(scene.count('repeat')).toBe(5);
  });

  it('is not for what is auto', () => {
    const scene = town();
    scene.place('mill');
    expect(scene.send('use-card', { thing: 'mill', card: 'repeat' })).toEqual(code('card/not-here'));
  });

  it('has an end', () => {
    const scene = building('build', { season: 9000 });
    for (let times = 0; times < 3; times++) play(scene, 'season', { count: 1000 });
    expect(play(scene, 'season', { count: 1000 })).toEqual(code('works/repeats-full', { have: 9000, max: 10_000 }));
  });
});

describe('a card', () => {
  it('that is none is refused, and so is what its kind does not know', () => {
    const scene = building();
    expect(play(scene, 'wood')).toEqual(code('item/unknown', { item: 'wood' }));
    expect(play(scene, 'constructor')).toEqual(code('item/unknown'));
    for (const [card, more] of [
      ['gem', { count: 2 }],
      ['boost', { maxCount: 2 }],
      ['repeat', { maxWastedMs: 2 }],
    ] as const) {
      const [path] = Object.keys(more);
      expect(play(scene, card, more)).toEqual(code('command/invalid', { faults: [expect.objectContaining({ path })] }));
    }
  });

  it('and a cancel that mean an earlier run come too late: the card is kept', () => {
    const scene = building('brew', { hop: 2 });
    const first = scene.thing('hall')?.task;
    const run = first?.state === 'runs' ? first.run : '';
    play(scene, 'repeat', { run });
    scene.pass(HOUR_MS);
    expect(play(scene, 'gem', { run })).toEqual(code('works/already-done', { thing: 'hall', run }));
    expect(scene.send('cancel', { thing: 'hall', run })).toEqual(code('works/already-done'));
    expect(scene.count('gem')).toBe(50);
    scene.pass(HOUR_MS);
    expect(play(scene, 'gem', { run })).toEqual(code('works/already-done'));
  });

  it('at the due time is too late', () => {
    const scene = building();
    scene.pass(4 * HOUR_MS);
    expect(play(scene, 'boost')).toEqual(code('works/not-running'));
  });
});

describe('an operator', () => {
  const asks = (scene: WorksScene, type: 'ops:shift' | 'ops:stop', more = {}) =>
    scene.send(type, { module: 'town', thing: 'hall', by: 'eve', reason: 'test', ...more });

  it('shifts what runs, never to before now, and stops what runs or waits', () => {
    const scene = building();
    expect(asks(scene, 'ops:shift', { byMs: HOUR_MS })).toEqual(dueAt(5 * HOUR_MS));
    expect(asks(scene, 'ops:shift', { byMs: 50 * 365 * 24 * HOUR_MS * 10 })).toEqual(code('thing/too-long'));
    expect(asks(scene, 'ops:stop')).toMatchObject([{ type: 'town/cancelled', by: 'eve', reason: 'test' }]);
    expect(asks(scene, 'ops:stop')).toEqual(code('works/idle'));
    expect(asks(scene, 'ops:shift', { byMs: 1 })).toEqual(code('works/not-running'));
    scene.send('start', { thing: 'hall', activity: 'build' });
    asks(scene, 'ops:shift', { byMs: -9 * HOUR_MS });
    expect(scene.told('finished')).toEqual([['finished hall', 0]]);
  });
});

describe('the end of the clock', () => {
  it('lets nothing start whose due time no timer can hold', () => {
    const scene = town();
    scene.pass(2 ** 42 - WorksScene.startMs - 4 * HOUR_MS);
    expect(scene.send('start', { thing: 'hall', activity: 'build' })).toEqual(
      code('thing/too-long', { latestAt: 2 ** 42 }),
    );
    scene.pass(-1).place('mill');
    expect(scene.pass(3 * HOUR_MS).state('mill')).toBe('runs');
    scene.pass(HOUR_MS);
    expect(scene.state('mill')).toBe('waits');
  });
});
