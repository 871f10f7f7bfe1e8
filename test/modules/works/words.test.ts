import { describe, expect, it } from 'vitest';
import type { HomeEvent } from '../../../shared/event.ts';
import { type Formats, fillWords } from '../../../shared/ops/fill-words.ts';
import { worksEvents } from '../../../shared/works/contract.ts';
import type { WorksRules } from '../../../shared/works/rules-file.ts';
import { worksWords } from '../../../shared/works/words.ts';
import { HOUR_MS, WorksScene } from '../../support/works/works-scene.ts';

const rules = {
  things: { hall: { limit: 1 }, pit: { limit: 1 }, field: { takes: { gold: 2 } } },
  slots: { builders: { base: 1, queue: 2 } },
  activities: {
    upgrade: {
      on: ['hall', 'field'],
      slot: 'builders',
      workMs: ['1h', '2h'],
      takes: { wood: 10 },
      gives: { level: 1 },
    },
    wheat: { on: ['field'], workMs: '1h', takes: { seed: 1 }, gives: { wheat: 3 }, collect: true },
    sell: { on: ['field'], takes: { wood: 1 }, gives: { gold: 2 } },
    train: { on: ['field'], gives: { level: 1 } },
    dig: { on: ['pit'], workMs: '1h', gives: { ore: 2 }, auto: true, collect: true, holds: 3 },
    leave: { on: ['field'], gives: { gold: 1 }, consumes: true },
    brew: { on: ['hall'], workMs: '1h', takes: { hop: 1 }, gives: { beer: 1 } },
  },
  cards: {
    gem: { effect: 'finish', msEach: '10m' },
    hurry: { effect: 'cut', workMs: '2h' },
    flag: { effect: 'rate', rate: 2, lastsMs: '1h' },
    again: { effect: 'repeat', times: 2 },
  },
  cancelGivesBack: 0.5,
} satisfies WorksRules;

const items = { gold: 9, wood: 90, seed: 9, hop: 9, gem: 90, hurry: 9, flag: 9, again: 9 };
const hours = (atMs: number): string => `hour ${(atMs - WorksScene.startMs) / HOUR_MS}`;
const formats: Formats = {
  number: String,
  span: (ms) => `${ms / HOUR_MS} h`,
  signed: (ms) => `${ms > 0 ? '+' : ''}${ms / HOUR_MS} h`,
  instant: hours,
  items: (deltas) =>
    Object.entries(deltas)
      .map(([item, delta]) => `${delta > 0 ? '+' : ''}${delta} ${item}`)
      .join(', '),
};

const wordsOf = (language: string) => {
  const words = worksWords[language];
  if (!words) throw new Error(`no words in ${language}`);
  return words;
};
const toldIn = (language: string, log: readonly HomeEvent[]): readonly string[] =>
  log
    .filter(({ type }) => type.startsWith('town/'))
    .map((event) => {
      const name = event.type.slice('town/'.length) as keyof typeof worksEvents;
      return fillWords(wordsOf(language).events?.[name] ?? '', event, formats);
    });
const thingIn = (scene: WorksScene, id: string): string =>
  fillWords(wordsOf('en').thing ?? '', scene.thing(id) ?? {}, formats);

/** A day in which everything happens. */
const day = (): WorksScene => {
  const scene = new WorksScene(rules, items);
  const hall = scene.place('hall');
  const field = scene.place('field');
  scene.send('start', { thing: hall, activity: 'upgrade' });
  scene.send('start', { thing: field, activity: 'upgrade' });
  scene.send('reorder', { slot: 'builders', things: [field] });
  scene.send('use-card', { thing: hall, card: 'flag' });
  scene.send('use-card', { thing: hall, card: 'hurry' });
  scene.send('cancel', { thing: field });
  scene.send('start', { thing: field, activity: 'wheat' });
  scene.send('use-card', { thing: field, card: 'gem' });
  scene.send('collect', { thing: field });
  scene.send('start', { thing: hall, activity: 'brew' });
  scene.send('use-card', { thing: hall, card: 'again' });
  scene.pass(HOUR_MS);
  for (const activity of ['sell', 'train', 'leave']) scene.send('start', { thing: field, activity });
  scene.send('remove', { thing: scene.place('field') });
  return scene;
};

describe('the words of works', () => {
  it('tell a log in sentences, with the names of the rules', () => {
    expect(toldIn('en', day().log)).toEqual([
      'placed hall',
      'placed field: -2 gold',
      'ordered upgrade (needs one of builders): 1 h of work, -10 wood',
      'began upgrade, due hour 1',
      'ordered upgrade (needs one of builders): 1 h of work, -10 wood',
      'moved in the queue',
      'used 1 × flag: 2× until hour 1, due hour 0.5',
      'used 1 × hurry, 1 h wasted, due hour 0',
      'finished upgrade, now level 1',
      'began upgrade, due hour 1',
      'cancelled upgrade, back: +5 wood',
      'ordered wheat: 1 h of work, -1 seed',
      'began wheat, due hour 1',
      'used 6 × gem: done at once, due hour 0',
      'finished wheat',
      'collected what wheat made: +3 wheat',
      'ordered brew: 1 h of work, -1 hop',
      'began brew, due hour 0.5',
      'used 1 × again: again 2 × each, due hour 0.5',
      'finished brew: +1 beer, and waits to begin again',
      'began brew, by the card again: -1 hop, due hour 1',
      'finished brew: +1 beer, and waits to begin again',
      'began brew, by the card again: -1 hop, due hour 2',
      'did sell: -1 wood, +2 gold',
      'did train, now level 1',
      'did leave: +1 gold, and is gone',
      'placed field: -2 gold',
      'removed',
    ]);
  });

  it('say what a thing is at', () => {
    const scene = new WorksScene(rules, items);
    const hall = scene.place('hall');
    const field = scene.place('field');
    expect(thingIn(scene, hall)).toBe('level 0');
    scene.send('start', { thing: hall, activity: 'upgrade' });
    scene.send('start', { thing: field, activity: 'upgrade' });
    scene.send('use-card', { thing: hall, card: 'flag' });
    expect(thingIn(scene, hall)).toBe('level 0 · upgrade under way · 2× until hour 1');
    expect(thingIn(scene, field)).toBe('level 0 · upgrade waits since hour 0');
    scene.send('cancel', { thing: field });
    scene.send('start', { thing: field, activity: 'wheat' });
    scene.pass(HOUR_MS);
    expect(thingIn(scene, field)).toBe('level 0 · wheat done, to be collected');
  });

  it('say what a thing holds while it goes on', () => {
    const scene = new WorksScene(rules, items);
    const pit = scene.place('pit');
    scene.pass(2 * HOUR_MS);
    expect(thingIn(scene, pit)).toBe('level 0 · dig under way · holds +4 ore, 2 times');
  });

  it('tell of a collect from a thing that rests, which names no activity', () => {
    const told = (language: string) =>
      fillWords(wordsOf(language).events?.collected ?? '', { items: { ore: 2 } }, formats);
    expect([told('en'), told('zh')]).toEqual(['collected: +2 ore', '收取产出：+2 ore']);
  });

  it('have in both languages a text for every event, and every field that it has in the other', () => {
    const fields = (text = '') => [...text.matchAll(/[{[]([\w.-]+)/g)].map(([, name]) => name).toSorted();
    for (const type of Object.keys(worksEvents) as (keyof typeof worksEvents)[]) {
      const [english, chinese] = [wordsOf('en').events?.[type], wordsOf('zh').events?.[type]];
      expect(english).toBeTruthy();
      expect(fields(chinese)).toEqual(fields(english));
    }
    expect(fields(wordsOf('zh').thing)).toEqual(fields(wordsOf('en').thing));
    expect(Object.keys(wordsOf('zh').refusals ?? {})).toEqual(Object.keys(wordsOf('en').refusals ?? {}));
    expect(toldIn('zh', day().log).slice(0, 4)).toEqual([
      '放置了 hall',
      '放置了 field：-2 gold',
      '安排 upgrade（占用一个 builders）：需要 1 h，-10 wood',
      '开始 upgrade，hour 1 到期',
    ]);
  });
});
