import { expect, it } from 'vitest';
import { z } from 'zod';
import { village } from '../../examples/village.ts';
import { judge } from '../../server/domain/decide.ts';
import { Modules } from '../../server/domain/modules.ts';
import { settle } from '../../server/domain/settle.ts';
import { createKibble, type KibbleOptions, pets } from '../../server/kibble.ts';
import type { HomeEvent } from '../../shared/event.ts';
import { type Home, newHome } from '../../shared/home.ts';
import { defineModule } from '../../shared/module/module.ts';
import type { Command } from '../../shared/protocol.ts';
import { gameThatChanges, START_MS } from '../support/game/game-that-changes.ts';
import { HOUR_MS, handCrankedGame } from '../support/game/hand-cranked-game.ts';

const open = (host: Pick<KibbleOptions, 'pool' | 'clock' | 'log'>, modules: KibbleOptions['modules'] = [village]) => {
  const kibble = createKibble({ ...host, playerId: ({ sub }) => sub, modules });
  let commands = 0;
  return {
    kibble,
    say: async (type: string, payload: object, playerId = 'ann') => {
      const order = { playerId, type, payload: { commandId: `command-${++commands}`, ...payload } };
      const [outcome] = await kibble.homes.handle([order]);
      return outcome?.ok ? outcome.value : outcome?.error;
    },
    sites: async () => (await kibble.homes.look(['ann']))[0]?.home.things.village,
    items: async () => (await kibble.homes.look(['ann']))[0]?.home.items,
    log: async () => {
      const page = await kibble.service.sync('ann', { afterSeq: 0 });
      return page.ok ? page.value.events : [];
    },
  };
};

const wood = { items: { wood: 300, hourglass: 1, flag: 1 }, reason: 'gift' };
const told = (events: readonly HomeEvent[]) => events.map(({ type, thing, at }) => [type, thing, at]);

it('builds two sites at a time, in order, each to the millisecond, and pays for them', async () => {
  const game = await handCrankedGame('', open);
  const startMs = game.nowMs();
  await game.say('home:grant', wood);
  for (const site of ['mill', 'well', 'barn']) await game.say('village:upgrade', { site });
  expect(await game.say('village:upgrade', { site: 'mill' })).toMatchObject({ code: 'village/busy' });
  expect(await game.items()).toMatchObject({ wood: 270 });
  await game.pass(2 * HOUR_MS);
  expect(await game.sites()).toEqual({ mill: { level: 1 }, well: { level: 1 }, barn: { level: 1 } });
  expect(told((await game.log()).filter(({ type }) => type !== 'village/queued').slice(2))).toEqual([
    ['village/started', 'mill', startMs],
    ['village/started', 'well', startMs],
    ['village/finished', 'mill', startMs + HOUR_MS],
    ['village/started', 'barn', startMs + HOUR_MS],
    ['village/finished', 'well', startMs + HOUR_MS],
    ['village/finished', 'barn', startMs + 2 * HOUR_MS],
  ]);
  expect(await game.items()).toMatchObject({ gold: 15 });
});

it('is sooner by an hourglass and by a flag, whose timers move with it', async () => {
  const game = await handCrankedGame('', open);
  await game.say('home:grant', wood);
  await game.say('village:upgrade', { site: 'hall' });
  await game.pass(HOUR_MS);
  await game.say('village:upgrade', { site: 'hall' });
  await game.say('village:use-card', { site: 'hall', card: 'flag' });
  await game.say('village:use-card', { site: 'hall', card: 'hourglass' });
  const [timer] = await game.kibble.timers.listByOwner('ann');
  expect(timer).toMatchObject({ kind: 'village', subject: 'ann~hall', dueAtMs: game.nowMs() + HOUR_MS });
  await game.pass(HOUR_MS - 1);
  expect(await game.sites()).toMatchObject({ hall: { level: 1 } });
  await game.pass(1);
  expect(await game.sites()).toMatchObject({ hall: { level: 2 } });
  expect(await game.column('select id from kibble.timers')).toEqual([]);
  expect(await game.say('village:use-card', { site: 'hall', card: 'flag' })).toMatchObject({ code: 'village/idle' });
});

it('keeps the timers of two players apart whose sites have the same names', async () => {
  const { release, pool, clock } = await gameThatChanges();
  const { say, home, runDue, end } = await release({
    modules: [{ ...village, starter: () => ({ wood: 50, flag: 1 }) }],
  });
  await say('ann', 'village:upgrade', { site: 'hall' });
  clock.advance(HOUR_MS / 2);
  await say('bob', 'village:upgrade', { site: 'hall' });
  await say('bob', 'village:use-card', { site: 'hall', card: 'flag' });
  const rows = await pool.query('select owner, subject from kibble.timers order by id');
  expect(rows.rows).toEqual([
    { owner: 'ann', subject: 'ann~hall' },
    { owner: 'bob', subject: 'bob~hall' },
  ]);
  clock.advance(HOUR_MS / 2);
  await runDue();
  expect(
    (await pool.query('select player_id, at from kibble.event where type = $1 order by 1', ['village/finished'])).rows,
  ).toEqual(['ann', 'bob'].map((player_id) => ({ player_id, at: String(START_MS + HOUR_MS) })));
  expect((await home('bob'))?.things.village).toMatchObject({ hall: { level: 1 } });
  await end();
});

it('refuses what is not there, not paid for, or not in the contract', async () => {
  const game = await handCrankedGame('', open);
  expect(await game.say('village:upgrade', { site: 'hall' })).toMatchObject({
    code: 'item/out-of-stock',
    params: { item: 'wood', have: 0, need: 10 },
  });
  expect(await game.say('village:upgrade', { site: 'moat' })).toMatchObject({ code: 'command/invalid' });
  expect(await game.say('village:upgrade', { site: 'hall', level: 7 })).toMatchObject({ code: 'command/invalid' });
  expect(await game.say('village:rob', {})).toMatchObject({ code: 'command/invalid' });
  expect(await game.log()).toEqual([]);
});

it('has room for things of any id, and for no more than the contract says', async () => {
  const plots = defineModule({
    name: 'plots',
    thing: z.object({ size: z.int() }),
    initial: { size: 0 },
    maxThings: 2,
    events: { grown: z.object({}) },
    commands: { grow: z.object({ id: z.string() }) },
  }).rules({
    decide: { grow: ({ payload }) => [{ type: 'grown', thing: payload.id }] },
    evolve: { grown: ({ size }) => ({ size: size + 1 }) },
  });
  const game = await handCrankedGame('', (host) => open(host, [plots]));
  for (const id of ['constructor', '__proto__', 'constructor']) await game.say('plots:grow', { id });
  expect(await game.say('plots:grow', { id: 'third' })).toMatchObject({ code: 'module/too-many', params: { max: 2 } });
  const kept = (await game.kibble.homes.look(['ann']))[0]?.home.things.plots ?? {};
  expect(Object.entries(kept).sort()).toEqual([
    ['__proto__', { size: 1 }],
    ['constructor', { size: 2 }],
  ]);
});

it('goes on with a home that has more things than the contract now says', () => {
  const play = (modules: Modules, home: Home, command: Command) =>
    judge({ modules, home, command, commandId: 'command-1', nowMs: 1 });
  const many = new Modules([village]);
  let home: Home = { ...newHome('ann'), items: { wood: 100 } };
  for (const site of ['hall', 'mill']) home = play(many, home, { type: 'village:upgrade', site }).home;
  const few = new Modules([{ ...village, maxThings: 1 }]);
  expect(settle(few, home, 2 * HOUR_MS).map(({ type }) => type)).toEqual(['village/finished', 'village/finished']);
  expect(play(few, home, { type: 'village:upgrade', site: 'well' }).decision).toMatchObject({
    error: { code: 'module/too-many' },
  });
});

it('shares stock, order and log with the pets of the same home', async () => {
  const game = await handCrankedGame('', (host) => open(host, [pets(), village]));
  await game.say('home:grant', wood);
  const adopted = await game.say('home:adopt', { name: 'Rex', species: 'dog' });
  await game.say('village:upgrade', { site: 'hall' });
  await game.say('home:feed', { petId: Object(adopted).petId, food: 'dog-food' });
  expect(await game.column('select kind from kibble.timers order by kind')).toEqual(['feeding', 'village']);
  await game.pass(4 * HOUR_MS);
  const log = await game.log();
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, at) => at + 1));
  expect(log.map(({ type }) => type)).toEqual([
    ...['items-granted', 'items-granted', 'pet-adopted', 'village/queued', 'village/started', 'feeding-started'],
    ...['village/finished', 'feeding-completed'],
  ]);
  expect(log[0]).toMatchObject({ reason: 'starter', opened: ['pets', 'village'] });
  expect(await game.column('select kind from kibble.timers')).toEqual([]);
});
