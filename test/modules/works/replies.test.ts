import { describe, expect, it } from 'vitest';
import { judge, replyOf } from '../../../server/domain/decide.ts';
import { Modules } from '../../../server/domain/modules.ts';
import { openHome } from '../../../server/domain/open-home.ts';
import { works } from '../../../server/settings/rules.ts';
import type { HomeEvent } from '../../../shared/event.ts';
import { newHome } from '../../../shared/home.ts';
import { LATEST_MS } from '../../../shared/latest-ms.ts';
import type { WorksRules } from '../../../shared/works/rules-file.ts';
import { HOUR_MS, MINUTE_MS, WorksScene } from '../../support/works/works-scene.ts';

const T = WorksScene.startMs;
const rules = {
  starter: { items: { wood: 40, axe: 9 } },
  things: { hall: { limit: 1, takes: { stone: 0 } }, mill: { limit: 1 }, hero: { limit: 1 } },
  slots: { builders: { base: 1, item: 'builder', queue: 2 }, ships: { base: 1 } },
  activities: {
    build: { on: ['hall', 'mill'], slot: 'builders', workMs: '1h', takes: { wood: 10 }, gives: { level: 1, fame: 1 } },
    rest: { on: ['hero'], workMs: '5m', gives: [{ energy: 1 }], auto: true, below: { energy: 99 } },
  },
  cards: { axe: { effect: 'cut', workMs: '40m' }, gem: { effect: 'finish', msEach: '10m' } },
} satisfies WorksRules;
/** Made anew: what it is made of is tried as well. */
const town = () => works({ name: 'town', rules });
const modules = new Modules([town()]);

const scene = (): WorksScene => {
  const played = new WorksScene(rules, rules.starter.items);
  for (const thing of ['hall', 'mill', 'hero']) played.place(thing);
  return played;
};
/** The reply of a command, but for what every reply has. */
const replied = (played: WorksScene, type: string, payload: object) => {
  const {
    seq: _,
    nowMs: _nowMs,
    events: _events,
    ...own
  } = replyOf(modules, played.send(type, payload) as readonly HomeEvent[]);
  return own;
};
const build = { thing: 'hall', activity: 'build' };

const building = (): readonly [WorksScene, string] => {
  const played = scene();
  played.send('start', build);
  const task = played.thing('hall')?.task;
  return [played, task?.state === 'runs' ? task.run : ''];
};

describe('a reply of works', () => {
  it('names the thing, and when it is due where that changed', () => {
    const played = scene();
    expect(replied(played, 'start', build)).toStrictEqual({ thing: 'hall', dueAt: T + HOUR_MS });
    expect(replied(played, 'start', { ...build, thing: 'mill' })).toStrictEqual({ thing: 'mill' });
    played.pass(MINUTE_MS);
    const dueAt = T + 20 * MINUTE_MS;
    expect(replied(played, 'use-card', { thing: 'hall', card: 'axe' })).toStrictEqual({
      thing: 'hall',
      dueAt,
      wastedMs: 0,
    });
  });

  it('says 0 where the thing is due no more, whatever else goes on by it', () => {
    const played = scene();
    played.send('start', build);
    played.send('start', { ...build, thing: 'mill' });
    const wastedMs = 20 * MINUTE_MS;
    const ended = replied(played, 'use-card', { thing: 'hall', card: 'axe', count: 2 });
    expect(ended).toStrictEqual({ thing: 'hall', dueAt: 0, wastedMs });
    expect(played.state('mill')).toBe('runs');
    played.send('start', build);
    expect(replied(played, 'cancel', { thing: 'mill' })).toStrictEqual({ thing: 'mill', dueAt: 0 });
    expect(played.state('hall')).toBe('runs');
    expect(town().reply?.([])).toEqual({});
  });

  it('says what was wasted of cards that cut alone', () => {
    const played = scene();
    played.grant({ gem: 6 });
    played.send('start', build);
    expect(replied(played, 'use-card', { thing: 'hall', card: 'gem' })).toStrictEqual({ thing: 'hall', dueAt: 0 });
  });

  it('tells a quote whose end is asked for: what was ordered, moved in the queue, or had a card', () => {
    const event = (type: string, thing: string) => ({ type, thing, seq: 1, at: 1 }) as never;
    const all = [
      'placed',
      'ordered',
      'started',
      'card-used',
      'finished',
      'done',
      'collected',
      'cancelled',
      'reordered',
      'removed',
    ];
    expect(town().doneOf?.(all.map((type) => event(type, `of ${type}`)))).toEqual([
      'of ordered',
      'of card-used',
      'of reordered',
    ]);
  });
});

describe('an operator', () => {
  const by = { by: 'ada', reason: 'because of a test' };
  const acted = (played: WorksScene, type: 'ops:shift' | 'ops:stop', more: object) => {
    const command = { type, module: 'town', thing: 'hall', byMs: 1, ...by, ...more };
    return judge({ modules, home: played.home, command, commandId: 'operator-1', nowMs: T + MINUTE_MS }).decision;
  };
  it('shifts what runs, never before now and never beyond the clock', () => {
    const [played, run] = building();
    const shifted = (byMs: number) => acted(played, 'ops:shift', { byMs });
    const dueAt = T + 61 * MINUTE_MS;
    expect(shifted(MINUTE_MS)).toMatchObject({
      value: [{ type: 'town/shifted', thing: 'hall', run, byMs: MINUTE_MS, workLeftMs: HOUR_MS, dueAt, ...by }],
    });
    expect(shifted(-2 * HOUR_MS)).toMatchObject({
      value: [
        { workLeftMs: 0, dueAt: T + MINUTE_MS },
        { type: 'town/finished', at: T + MINUTE_MS },
      ],
    });
    const params = { thing: 'hall', dueAt: LATEST_MS, latestAt: LATEST_MS };
    expect(shifted(LATEST_MS - T - HOUR_MS)).toEqual({
      ok: false,
      error: { code: 'thing/too-long', params, retryable: false },
    });
    expect(shifted(LATEST_MS - T - HOUR_MS - 1)).toMatchObject({ ok: true });
  });

  it('shifts and stops the run that was meant, and no other', () => {
    const [played, run] = building();
    const notRunning = { error: { code: 'works/not-running', params: { thing: 'hall' } } };
    expect(acted(played, 'ops:shift', { run: `anna~${run}` })).toMatchObject({ ok: true });
    expect(acted(played, 'ops:shift', { run: 'anna~r1' })).toMatchObject(notRunning);
    expect(acted(scene(), 'ops:shift', {})).toMatchObject(notRunning);
    expect(acted(played, 'ops:stop', { run: `anna~${run}` })).toMatchObject({
      value: [{ type: 'town/cancelled', thing: 'hall', activity: 'build', ...by }],
    });
    expect(acted(played, 'ops:stop', { run: 'anna~r1' })).toMatchObject({ error: { code: 'works/already-done' } });
    expect(acted(scene(), 'ops:stop', {})).toMatchObject({ error: { code: 'works/idle' } });
  });

  it('stops a thing that waits by the run that is shown for it, the thing itself; not once it runs', () => {
    const [played] = building();
    played.send('start', { ...build, thing: 'mill' });
    const mill = { thing: 'mill', run: 'anna~mill' };
    expect(acted(played, 'ops:stop', mill)).toMatchObject({
      value: [{ type: 'town/cancelled', thing: 'mill', items: { wood: 10 }, ...by }],
    });
    played.send('cancel', { thing: 'hall' });
    expect(played.state('mill')).toBe('runs');
    for (const run of ['anna~mill', 'mill'])
      expect(acted(played, 'ops:stop', { ...mill, run })).toMatchObject({ error: { code: 'works/already-done' } });
  });
});

describe('a module of works', () => {
  it('uses the items that its rules name, each once, and no level', () => {
    const items = ['wood', 'axe', 'stone', 'fame', 'energy', 'gem', 'builder'];
    expect([...(new Modules([town()]).named('town')?.items ?? [])].sort()).toEqual(items.sort());
  });

  it('gives what a player begins with, and names its things', () => {
    expect(openHome(new Modules([town()]), newHome('anna'), { nowMs: T })).toMatchObject([
      { items: { wood: 40, axe: 9 } },
    ]);
    const running = building()[0].thing('hall');
    expect(running && town().run?.(running, 'hall')).toMatch(/^r\d+$/);
    const things = Object.fromEntries(['hall', 'hut'].map((name) => [name, { name, level: 0 }]));
    expect(Object.entries(things).map(([id, thing]) => [town().title?.(thing), town().run?.(thing, id)])).toEqual([
      ['hall', 'hall'],
      ['hut', 'hut'],
    ]);
  });
});
