import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createKibble, pets, works } from '../../server/kibble.ts';
import type { Items } from '../../shared/items.ts';
import type { AnyModule } from '../../shared/module/module.ts';
import { HOUR_MS, handCrankedGame, MINUTE_MS } from '../support/game/hand-cranked-game.ts';

const folder = path.join(import.meta.dirname, '../../examples/works');
const played = new Set<string>();

/** A game with one of the files, beside pets, and a player with these items. */
const gameOf = async (name: string, items: Items) => {
  const text = readFileSync(path.join(folder, `${name}.json`), 'utf8');
  expect(text.trimEnd().split('\n').length).toBeLessThan(40);
  played.add(name);
  const modules: readonly AnyModule[] = [pets({ starter: { items: {} } }), works({ name, rules: JSON.parse(text) })];
  const game = await handCrankedGame('', (host) => ({
    kibble: createKibble({ ...host, playerId: ({ sub }) => sub, modules }),
  }));
  const { kibble } = game;
  let commands = 0;
  const say = async (type: string, payload: object) => {
    const command = { playerId: 'ann', type, payload: { commandId: `command-${++commands}`, ...payload } };
    const [outcome] = await kibble.homes.handle([command]);
    return outcome?.ok ? outcome.value : outcome?.error;
  };
  await say('home:grant', { items, reason: 'gift' });
  const home = async () => (await kibble.homes.look(['ann']))[0]?.home;
  return {
    ...game,
    say,
    place: async (thing: string) => String(Object(await say(`${name}:place`, { thing })).thing),
    start: (thing: string, activity: string) => say(`${name}:start`, { thing, activity }),
    collect: (thing: string) => say(`${name}:collect`, { thing }),
    card: (thing: string, card: string, more = {}) => say(`${name}:use-card`, { thing, card, ...more }),
    items: async () => (await home())?.items,
    thing: async (id: string) => (await home())?.things[name]?.[id],
  };
};

afterAll(() => {
  expect([...played].sort()).toEqual(
    readdirSync(folder)
      .map((file) => path.basename(file, '.json'))
      .sort(),
  );
});

it('building: two builders and what waits for them, levels, what a mill needs, gems for the last minutes', async () => {
  const { say, place, start, card, items, thing, pass } = await gameOf('building', { wood: 500, stone: 10, gem: 9 });
  for (const name of ['hall', 'mill']) await place(name);
  const walls = [await place('wall'), await place('wall')];
  expect(await start('mill', 'extend')).toMatchObject({ code: 'works/needs' });
  for (const id of ['hall', ...walls]) await start(id, 'upgrade');
  expect(await thing(walls[1] ?? '')).toMatchObject({ task: { state: 'waits' } });
  await pass(2 * MINUTE_MS);
  await start('hall', 'upgrade');
  await pass(10 * MINUTE_MS);
  expect(await thing('hall')).toEqual({ name: 'hall', level: 2 });
  await start('mill', 'extend');
  expect(await card('mill', 'gem', { maxCount: 2 })).toMatchObject({ code: 'card/would-cost', params: { count: 3 } });
  expect(await card('mill', 'gem')).toMatchObject({ dueAt: 0 });
  expect(await thing('mill')).toMatchObject({ level: 1 });
  await start('hall', 'upgrade');
  await say('building:cancel', { thing: 'hall' });
  expect(await items()).toEqual({ wood: 500 - 30 - 40 - 50 - 100, gem: 6 });
});

it('crop: sown, ripe, and collected whenever somebody comes', async () => {
  const { place, start, collect, card, items, thing, pass } = await gameOf('crop', {
    gold: 40,
    seed: 7,
    fertilizer: 1,
  });
  const plot = await place('plot');
  await start(plot, 'wheat');
  await card(plot, 'fertilizer');
  await pass(15 * MINUTE_MS);
  expect(await items()).toEqual({ gold: 20, seed: 6 });
  expect(await start(plot, 'wheat')).toMatchObject({ code: 'works/uncollected' });
  await collect(plot);
  await start(plot, 'wheat');
  await pass(15 * MINUTE_MS);
  await collect(plot);
  await place('farmhouse');
  await start('farmhouse', 'enlarge');
  await pass(2 * HOUR_MS);
  await start(plot, 'pumpkin');
  await pass(100 * HOUR_MS);
  expect(await thing(plot)).toMatchObject({ task: { state: 'holds' } });
  await collect(plot);
  expect(await items()).toEqual({ gold: 20, seed: 6, pumpkin: 2 });
});

it('research: one after the other, each paid when it begins', async () => {
  const { say, place, start, items, thing, pass, nowMs } = await gameOf('research', { scroll: 2 });
  for (const name of ['archery', 'smithing', 'sailing']) await place(name);
  expect(await start('sailing', 'explore')).toMatchObject({ code: 'works/needs' });
  await start('archery', 'study');
  await start('smithing', 'study');
  expect(await items()).toEqual({ scroll: 1 });
  await pass(2 * HOUR_MS);
  await start('sailing', 'explore');
  await start('archery', 'study');
  await say('research:reorder', { slot: 'laboratory', things: ['archery', 'sailing'] });
  await say('home:grant', { items: { scroll: 4 }, reason: 'found' });
  expect(await thing('archery')).toMatchObject({ level: 1, task: { state: 'runs', work: { sinceAtMs: nowMs() } } });
  await pass(8 * HOUR_MS);
  await say('home:grant', { items: { scroll: 5 }, reason: 'found' });
  await pass(12 * HOUR_MS);
  expect(await thing('sailing')).toEqual({ name: 'sailing', level: 1 });
  expect(await items()).toEqual({});
});

it('training: ten in a row by one card, to the beat of a drum, as long as there is gold', async () => {
  const { say, place, start, card, items, pass } = await gameOf('training', { wood: 100, gold: 60, drill: 1, drum: 1 });
  const barracks = await place('barracks');
  await start(barracks, 'soldier');
  await card(barracks, 'drill');
  await card(barracks, 'drum');
  await pass(2 * MINUTE_MS);
  expect(await items()).toEqual({ soldier: 4, gold: 10 });
  await pass(HOUR_MS);
  expect(await items()).toEqual({ soldier: 6 });
  await say('home:grant', { items: { gold: 10 }, reason: 'tax' });
  await pass(90_000);
  expect(await items()).toEqual({ soldier: 7 });
});

it('chest: one opens at a time, what is in it waits for its owner, and the chest is gone', async () => {
  const { place, start, collect, card, items, thing, pass } = await gameOf('chest', { gem: 2 });
  const [silver, gold] = [await place('silver-chest'), await place('gold-chest')];
  await start(silver, 'open-silver');
  expect(await start(gold, 'open-gold')).toMatchObject({ code: 'works/queue-full', params: { max: 0 } });
  await pass(2 * HOUR_MS + 45 * MINUTE_MS);
  await card(silver, 'gem');
  await start(gold, 'open-gold');
  await collect(silver);
  expect(await thing(silver)).toBeUndefined();
  await pass(12 * HOUR_MS);
  await collect(gold);
  const { gold: coins = 0, ...prize } = (await items()) ?? {};
  expect(coins >= 250 && coins <= 450).toBe(true);
  expect([{ gem: 5 }, { crown: 1 }]).toContainEqual(prize);
});

it('expedition: as many ships at sea as there are captains, with bread when they leave', async () => {
  const { say, place, start, card, items, thing, pass } = await gameOf('expedition', {
    ...{ wood: 60, bread: 50, stone: 50, captain: 1, wind: 9 },
  });
  const [first, second] = [await place('ship'), await place('ship')];
  await place('harbour');
  expect(await start(first, 'island')).toMatchObject({ code: 'works/needs' });
  await start('harbour', 'deepen');
  await pass(4 * HOUR_MS);
  await start(first, 'island');
  await start(second, 'coast');
  expect(await thing(second)).toMatchObject({ task: { state: 'waits' } });
  await say('home:grant', { items: { captain: 1 }, reason: 'hired' });
  expect(await items()).toEqual({ bread: 5, captain: 2, wind: 9 });
  await card(first, 'wind', { count: 9 });
  await pass(2 * HOUR_MS);
  await say('expedition:collect', { thing: first });
  expect(await items()).toEqual({ bread: 5, captain: 2, map: 1, gold: 100, fish: 20 });
});

it('energy: five at most, one more each five minutes, from the moment when some is spent', async () => {
  const { place, start, items, pass } = await gameOf('energy', { potion: 1 });
  await place('hero');
  await pass(26 * MINUTE_MS);
  expect(await items()).toMatchObject({ energy: 5 });
  await pass(2 * MINUTE_MS);
  const cave = await place('cave');
  await start(cave, 'raid');
  await pass(5 * MINUTE_MS - 1);
  expect(await items()).toEqual({ energy: 3, gold: 10, potion: 1 });
  await pass(1);
  expect(await items()).toMatchObject({ energy: 4 });
});

it('realm: a mine that holds a night, a market, a castle that more mines need, a chest a day, an achievement', async () => {
  const { place, start, collect, items, thing, pass, nowMs, say } = await gameOf('realm', {});
  for (const name of ['castle', 'market']) await place(name);
  const mine = await place('mine');
  expect(await say('realm:place', { thing: 'mine' })).toMatchObject({ code: 'works/limit', params: { limit: 1 } });
  await pass(30 * HOUR_MS);
  expect(await thing(mine)).toMatchObject({ task: { state: 'holds' }, held: { ends: 8 } });
  expect(await start('castle', 'Great Miner')).toMatchObject({
    code: 'works/needs-item',
    params: { have: 0, need: 80 },
  });
  await collect(mine);
  expect(await items()).toEqual({ ore: 40, xp: 80 });
  await start('castle', 'Great Miner');
  const again = await start('castle', 'Great Miner');
  expect(again).toMatchObject({ code: 'works/at-most', params: { times: 1 } });
  expect(again).not.toHaveProperty('params.opensAt');
  await start('castle', 'enlarge');
  for (let count = 0; count < 2; count++) await start('market', 'sell ore');
  expect(await say('realm:place', { thing: 'mine' })).toMatchObject({ params: { item: 'gold', have: 50, need: 120 } });
  for (let day = 0; day < 2; day++) {
    expect(await start('market', 'daily chest')).toMatchObject({ events: [{ items: { gold: 40 } }] });
    const closed = Object(await start('market', 'daily chest')).params;
    expect(new Date(closed.opensAt).toLocaleTimeString('en-GB', { timeZone: 'Europe/Berlin' })).toBe('00:00:00');
    await pass(closed.opensAt - nowMs() - 1);
    expect(await start('market', 'daily chest')).toMatchObject({ code: 'works/at-most' });
    await pass(1);
  }
  await place('mine');
  expect(await items()).toEqual({ gold: 10, gem: 5, xp: 80 });
});
