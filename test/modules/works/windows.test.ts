import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseWorksRules, type WorksRules } from '../../../shared/works/rules-file.ts';
import { openingsOf } from '../../../shared/works/works.ts';
import { HOUR_MS, WorksScene } from '../../support/works/works-scene.ts';

const DAY_MS = 24 * HOUR_MS;
/** A Monday: 24 November 2025, 17:00 in Berlin. */
const at = (text: string): number => Date.parse(text);

const rules = {
  things: { stall: { limit: 1 }, tent: { limit: 1, from: '2025-12-01T00:00:00+01:00' }, hall: { limit: 1 } },
  activities: {
    sell: { on: ['stall'], workMs: '3d', gives: { gold: 1 }, during: 'weekend' },
    carol: {
      ...{ on: ['hall'], workMs: '1h', until: '2025-12-24T18:00:00+01:00' },
      during: { cron: '0 16 * * *', timeZone: 'Europe/Berlin', lasts: '2h' },
    },
    build: { on: ['hall', 'stall'], workMs: '9d' },
  },
  cards: {
    gem: { effect: 'finish', msEach: '1d', during: 'weekend' },
    axe: { effect: 'cut', workMs: '1h' },
    again: { effect: 'repeat', times: 1 },
  },
  windows: { weekend: { cron: '0 18 * * 5', timeZone: 'Europe/Berlin', lasts: '2d' } },
} satisfies WorksRules;

const FRIDAY = at('2025-11-28T18:00+01:00');
const scene = (file: WorksRules = rules): WorksScene => {
  const made = new WorksScene(file, { gem: 99, axe: 9, again: 9 });
  made.place('stall');
  made.place('hall');
  return made;
};
const until = (made: WorksScene, atMs: number): WorksScene => made.pass(atMs - made.nowMs);
const closed = (params: object) => ({ code: 'works/closed', params });
const start = (made: WorksScene, thing: string, activity: string) => made.send('start', { thing, activity });

describe('a window', () => {
  it('is asked at the command: to the millisecond, and with when it opens next', () => {
    const made = scene();
    expect(start(made, 'stall', 'sell')).toEqual(closed({ opensAt: FRIDAY }));
    until(made, FRIDAY - 1);
    expect(start(made, 'stall', 'sell')).toEqual(closed({ opensAt: FRIDAY }));
    made.pass(1);
    expect(start(made, 'stall', 'sell')).toMatchObject([{ type: 'town/ordered' }, { type: 'town/started' }]);
    made.send('cancel', { thing: 'stall' });
    until(made, FRIDAY + 2 * DAY_MS - 1);
    expect(start(made, 'stall', 'sell')).toMatchObject([{ type: 'town/ordered' }, { type: 'town/started' }]);
    made.send('cancel', { thing: 'stall' });
    made.pass(1);
    expect(start(made, 'stall', 'sell')).toEqual(closed({ opensAt: FRIDAY + 7 * DAY_MS }));
  });

  it('lets end outside what was started inside', () => {
    const made = until(scene(), FRIDAY + DAY_MS);
    start(made, 'stall', 'sell');
    made.pass(3 * DAY_MS);
    expect([made.state('stall'), made.count('gold')]).toEqual(['rests', 1]);
    expect(made.told('finished')).toEqual([['finished stall', FRIDAY + 4 * DAY_MS - WorksScene.startMs]]);
  });

  it('is asked of a thing when it is placed, and of a card when it is played', () => {
    const made = scene();
    expect(made.send('place', { thing: 'tent' })).toEqual(closed({ opensAt: at('2025-12-01T00:00+01:00') }));
    start(made, 'hall', 'build');
    expect(made.send('use-card', { thing: 'hall', card: 'gem' })).toEqual(closed({ opensAt: FRIDAY }));
    expect(made.send('use-card', { thing: 'hall', card: 'axe' })).toMatchObject([{ type: 'town/card-used' }]);
    until(made, FRIDAY);
    expect(made.send('use-card', { thing: 'hall', card: 'gem' })).toMatchObject([{ effect: 'finish' }, {}]);
    until(made, at('2025-12-01T00:00+01:00'));
    expect(made.place('tent')).toBe('tent');
  });

  it('with an end of its own is over then for ever, and says since when', () => {
    const made = scene();
    const last = at('2025-12-23T16:00+01:00');
    until(made, last + 2 * HOUR_MS);
    expect(start(made, 'hall', 'carol')).toEqual(closed({ opensAt: last + DAY_MS }));
    until(made, last + DAY_MS + 2 * HOUR_MS - 1);
    expect(start(made, 'hall', 'carol')).toMatchObject([{ type: 'town/ordered' }, {}]);
    made.pass(DAY_MS);
    const over = closed({ closedAt: at('2025-12-24T18:00+01:00') });
    expect(start(made, 'hall', 'carol')).toEqual(over);
    // The last opening is over before the end is: nothing says since when.
    const [{ during, ...carol }, activities] = [rules.activities.carol, rules.activities];
    const early = { ...carol, until: '2025-12-24T17:00:00+01:00', during: { ...during, lasts: '10m' } };
    const other = until(scene({ ...rules, activities: { ...activities, carol: early } }), last + DAY_MS + HOUR_MS / 2);
    expect(start(other, 'hall', 'carol')).toEqual(closed({}));
  });

  it('whose openings overlap stays open', () => {
    const activities = { ...rules.activities };
    const windows = { weekend: { cron: '0 */6 * * *', timeZone: 'UTC', lasts: '7h' } };
    const made = scene({ ...rules, activities, windows });
    for (let hour = 0; hour < 48; hour += 1) {
      expect(start(made, 'stall', 'sell')).toMatchObject([{ type: 'town/ordered' }, {}]);
      made.send('cancel', { thing: 'stall' });
      made.pass(HOUR_MS);
    }
  });

  it('lasts as long in a night when clocks change, and opens by the wall', () => {
    const nightly = { cron: '30 2 * * *', timeZone: 'Europe/Berlin', lasts: '1h' };
    const made = scene({ ...rules, windows: { weekend: nightly } });
    const isOpen = (text: string): boolean => {
      until(made, at(text));
      const events = start(made, 'stall', 'sell');
      if (Array.isArray(events)) made.send('cancel', { thing: 'stall' });
      return Array.isArray(events);
    };
    // It opens at the end of the gap.
    expect(['2026-03-29T00:59Z', '2026-03-29T01:00Z', '2026-03-29T01:59Z', '2026-03-29T02:00Z'].map(isOpen)).toEqual([
      false,
      true,
      true,
      false,
    ]);
    // And not a second time.
    expect(['2026-10-25T00:30Z', '2026-10-25T01:29Z', '2026-10-25T01:30Z'].map(isOpen)).toEqual([true, true, false]);
  });

  it('is that of the rules in force, also for what waits in a queue', () => {
    const made = scene();
    expect(start(made, 'stall', 'sell')).toMatchObject({ code: 'works/closed' });
    made.change({ ...rules, windows: { weekend: { from: '2025-11-01T00:00:00Z' } } });
    expect(start(made, 'stall', 'sell')).toMatchObject([{ type: 'town/ordered' }, {}]);
    made.change(rules);
    made.pass(3 * DAY_MS);
    expect([made.state('stall'), made.count('gold')]).toEqual(['rests', 1]);
  });

  it('keeps repeat cards from what it would let begin again outside', () => {
    const made = until(scene(), FRIDAY);
    start(made, 'stall', 'sell');
    expect(made.send('use-card', { thing: 'stall', card: 'again' })).toMatchObject({ code: 'card/not-here' });
    start(made, 'hall', 'build');
    expect(made.send('use-card', { thing: 'hall', card: 'again' })).toMatchObject([{ effect: 'repeat' }]);
  });
});

it('all that is closed is told with when it opens next', () => {
  const read = parseWorksRules(rules);
  if (!read.ok) throw new Error(read.error.join('\n'));
  const opensAt = (text: string) => openingsOf(read.value, at(text));
  expect(opensAt('2025-11-24T17:00+01:00')).toEqual({
    'things.tent': at('2025-12-01T00:00+01:00'),
    'activities.sell': FRIDAY,
    'cards.gem': FRIDAY,
  });
  expect(opensAt('2026-01-02T18:00+01:00')).toEqual({ 'activities.carol': null });
});

describe('a file with windows', () => {
  const file = (more: object) => ({
    things: { stall: {} },
    activities: { sell: { on: ['stall'], workMs: 1, ...more } },
  });
  const faultsOf = (json: object): readonly string[] => {
    const read = parseWorksRules(json);
    return read.ok ? [] : read.error;
  };
  const nightly = { cron: '0 0 * * *', timeZone: 'UTC', lasts: '1h' };

  it.each<[string, object, readonly string[]]>([
    [
      'an instant without a zone',
      file({ from: '2026-12-24T18:00' }),
      ['activities.sell.from: is no instant with its zone: write "2026-12-24T18:00:00+01:00"'],
    ],
    [
      'a day that there is not',
      file({ until: '2026-02-30T18:00:00Z' }),
      [expect.stringMatching('sell.until: is no instant')],
    ],
    [
      'an end before its beginning',
      file({ from: '2026-12-24T18:00:00+01:00', until: '2026-12-24T17:00:00Z' }),
      ['activities.sell.until: it is over before it opens'],
    ],
    [
      'an unknown zone and a cron that never comes, at once',
      file({ during: { cron: '0 0 30 2 *', timeZone: 'Europe/Atlantis', lasts: '1h' } }),
      [
        'activities.sell.during.cron: is "0 0 30 2 *", which never comes',
        expect.stringMatching('activities.sell.during.timeZone: is "Europe/Atlantis", which is no time zone'),
      ],
    ],
    [
      'a cron of six fields',
      file({ during: { ...nightly, cron: '0 0 0 * * *' } }),
      [expect.stringMatching('during.cron: is')],
    ],
    [
      'a cron that does not come between from and until',
      file({ from: '2026-01-02T00:00:00Z', until: '2026-12-31T00:00:00Z', during: { ...nightly, cron: '0 0 1 1 *' } }),
      ['activities.sell.until: it is over before it opens'],
    ],
    [
      'a calendar that does not say how long',
      file({ during: { cron: '0 0 * * *', timeZone: 'UTC' } }),
      ['activities.sell.during: cron, timeZone and lasts belong together'],
    ],
    [
      'an opening of years',
      file({ during: { ...nightly, lasts: '367d' } }),
      [expect.stringMatching('during.lasts: is no time')],
    ],
    [
      'a window that there is not',
      { ...file({ during: 'weekend' }), windows: { nightly } },
      ['activities.sell.during: weekend is none of windows (nightly)'],
    ],
    [
      'an end before its shared window opens',
      {
        ...file({ until: '2026-01-01T00:00:00Z', during: 'later' }),
        windows: { later: { from: '2026-01-02T00:00:00Z' } },
      },
      ['activities.sell.until: it is over before it opens'],
    ],
    [
      'a shared window that is over before it opens',
      {
        ...file({ during: 'past' }),
        windows: { past: { from: '2026-01-02T00:00:00Z', until: '2026-01-01T00:00:00Z' } },
      },
      ['windows.past.until: it is over before it opens'],
    ],
    [
      'a window on what is auto',
      file({ auto: true, collect: true, during: nightly }),
      [expect.stringMatching('activities.sell.auto: goes on by itself')],
    ],
    [
      'a window on a card that repeats',
      { ...file({}), cards: { again: { effect: 'repeat', times: 1, until: '2026-01-01T00:00:00Z' } } },
      [expect.stringMatching('cards.again.effect: goes on by itself')],
    ],
    [
      'a window called __proto__',
      JSON.parse('{ "things": {}, "activities": {}, "windows": { "__proto__": {} } }'),
      [expect.stringMatching('windows: has the name __proto__')],
    ],
  ])('is refused for %s, with its place', (_, json, faults) => {
    expect(faultsOf(json)).toEqual(faults);
  });

  it('is read as the page on works has it', () => {
    const page = readFileSync(path.join(import.meta.dirname, '../../../docs/works.md'), 'utf8');
    const [, json = ''] = /## Windows.*?```json\n(.*?)```/s.exec(page) ?? [];
    expect(faultsOf(JSON.parse(json))).toEqual([]);
  });

  it('may have all of it together', () => {
    const bounds = { from: '2026-01-01T00:00:00Z', until: '2026-12-31T23:59:59.999Z' };
    expect(
      faultsOf({ ...file({ ...bounds, during: 'night' }), windows: { night: { ...nightly, ...bounds } } }),
    ).toEqual([]);
  });
});

describe('a refusal of what is closed', () => {
  const carolAt = (text: string) => start(until(scene(), at(text)), 'hall', 'carol');

  it('says at the very end since when, and then not when it opens', () => {
    const closedAt = at('2025-12-24T18:00+01:00');
    for (const text of ['2025-12-24T18:00+01:00', '2025-12-25T18:00+01:00']) {
      expect(carolAt(text)).toMatchObject({ code: 'works/closed', params: { closedAt } });
      expect(Object.keys((carolAt(text) as { readonly params: object }).params)).toEqual(['closedAt']);
    }
  });
});

it.each([
  ['from', { from: '2027-01-01T00:00:00Z' }],
  ['until', { from: '2027-01-01T00:00:00Z', until: '2027-02-01T00:00:00Z' }],
])('what begins after its window is over has a fault at its %s', (field, own) => {
  const during = { until: '2026-01-01T00:00:00Z' };
  const read = parseWorksRules({
    things: { stall: {} },
    activities: { sell: { on: ['stall'], workMs: 1, ...own, during } },
  });
  expect(read).toMatchObject({ ok: false, error: [`activities.sell.${field}: it is over before it opens`] });
});
