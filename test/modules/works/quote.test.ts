import { expect, it } from 'vitest';
import { createKibble, type WorksRules, works } from '../../../server/kibble.ts';
import type { AnyModule } from '../../../shared/module/module.ts';
import { HOUR_MS, handCrankedGame } from '../../support/game/hand-cranked-game.ts';
import { puppet } from '../../support/modules/puppet.ts';

const rules = {
  things: { hall: { limit: 1 }, mill: { limit: 1 }, barn: { limit: 1 }, hero: { limit: 1 } },
  slots: { builders: { base: 1, queue: 5 } },
  activities: {
    build: { on: ['hall', 'mill', 'barn'], slot: 'builders', workMs: '2h', takes: { wood: 10 } },
    sell: { on: ['hall'], takes: { wood: 5 }, gives: { gem: 1 } },
    rest: { on: ['hero'], workMs: '5m', gives: { energy: 1 }, auto: true, below: { energy: 5 } },
    dig: {
      on: ['mill'],
      workMs: '1h',
      gives: { gold: [1, 9] },
      oneOf: { name: 'find', of: [{ weight: 1, gives: { gem: 1 } }] },
    },
    chop: { on: ['hero'], workMs: '1h', takes: { axe: 1 }, gives: { wood: 1 } },
  },
  cards: { gem: { effect: 'finish', msEach: '10m' }, again: { effect: 'repeat', times: 1 } },
  cancelGivesBack: 0.5,
  queueTakes: 'start',
} satisfies WorksRules;

const quotingGame = async () => {
  const modules: readonly AnyModule[] = [works({ name: 'town', rules })];
  const game = await handCrankedGame('', (host) => ({
    kibble: createKibble({ ...host, playerId: ({ sub }) => sub, modules }),
  }));
  const { kibble } = game;
  const items = { wood: 100, gem: 10, again: 2, axe: 1 };
  await kibble.homes.grant([{ playerId: 'ann', commandId: 'gift-0001', items, reason: 'gift' }]);
  let commands = 0;
  const say = async (type: string, payload: object) =>
    (
      await kibble.homes.handle([
        { playerId: 'ann', type, payload: { commandId: `command-${++commands}`, ...payload } },
      ])
    )[0];
  for (const thing of ['hall', 'mill', 'barn']) await say('town:place', { thing });
  const quote = async (command: string, payload: object) => {
    const answer = await kibble.service.quote('ann', { type: command, ...payload });
    return answer.ok ? answer.value : answer.error;
  };
  return { ...game, say, quote, seq: async () => (await kibble.homes.look(['ann']))[0]?.home.seq };
};

it('tells what a finish would cost, what a cancel gives back, and saves nothing', async () => {
  const { say, quote, pass, seq } = await quotingGame();
  await say('town:start', { thing: 'hall', activity: 'build' });
  await pass(HOUR_MS);
  const before = await seq();
  expect(await quote('town:use-card', { thing: 'hall', card: 'gem' })).toMatchObject({
    events: [{ items: { gem: -6 } }, { type: 'town/finished' }],
  });
  expect(await quote('town:use-card', { thing: 'hall', card: 'gem', maxCount: 0 })).toMatchObject({
    code: 'card/would-cost',
    params: { count: 6 },
  });
  expect(await quote('town:cancel', { thing: 'hall' })).toMatchObject({ events: [{ items: { wood: 5 } }] });
  expect(await seq()).toBe(before);
});

it('tells when what waits in a queue will be through, whatever lies before it', async () => {
  const { say, quote, pass, nowMs } = await quotingGame();
  await say('town:start', { thing: 'hall', activity: 'build' });
  await say('town:use-card', { thing: 'hall', card: 'again' });
  await pass(HOUR_MS);
  const asked = await quote('town:start', { thing: 'mill', activity: 'build' });
  expect(asked).toMatchObject({ doneAt: nowMs() + 5 * HOUR_MS });
  expect(asked).not.toHaveProperty('dueAt');
  await say('town:start', { thing: 'mill', activity: 'build' });
  await say('town:start', { thing: 'barn', activity: 'build' });
  expect(await quote('town:reorder', { slot: 'builders', things: ['barn', 'mill'] })).toMatchObject({
    doneAt: nowMs() + 7 * HOUR_MS,
  });
  expect(await quote('town:use-card', { thing: 'hall', card: 'gem' })).toMatchObject({ doneAt: nowMs() + 2 * HOUR_MS });
  await pass(5 * HOUR_MS);
  expect((await quote('town:cancel', { thing: 'barn' })) as object).not.toHaveProperty('doneAt');
});

it('says of what takes no time what it does, and no time', async () => {
  const { say, quote } = await quotingGame();
  await say('town:start', { thing: 'hall', activity: 'build' });
  const asked = await quote('town:start', { thing: 'hall', activity: 'sell' });
  expect(asked).toMatchObject({ thing: 'hall', events: [{ type: 'town/done', items: { wood: -5, gem: 1 } }] });
  for (const field of ['doneAt', 'dueAt']) expect(asked).not.toHaveProperty(field);
});

it('says no time for what waits for something that does not come by itself', async () => {
  const { say, quote } = await quotingGame();
  expect(await quote('town:place', { thing: 'hero' })).not.toHaveProperty('doneAt');
  await say('home:take', { items: { wood: 100 }, reason: 'fee' });
  const waiting = await quote('town:start', { thing: 'hall', activity: 'build' });
  expect(waiting).toMatchObject({ events: [{ type: 'town/ordered' }] });
  expect(waiting).not.toHaveProperty('doneAt');
});

it('says of what is closed when it opens next', async () => {
  const closed = { ...rules, windows: { winter: { cron: '0 0 1 12 *', timeZone: 'UTC', lasts: '90d' } } };
  const modules: readonly AnyModule[] = [
    works({
      name: 'town',
      rules: { ...closed, activities: { ski: { on: ['hall'], workMs: '1h', during: 'winter' } } },
    }),
  ];
  const { kibble } = await handCrankedGame('', (host) => ({
    kibble: createKibble({ ...host, playerId: ({ sub }) => sub, modules }),
  }));
  const payload = { commandId: 'a new hall', thing: 'hall' };
  await kibble.homes.handle([{ playerId: 'ann', type: 'town:place', payload }]);
  // It is September.
  expect(await kibble.service.quote('ann', { type: 'town:start', thing: 'hall', activity: 'ski' })).toMatchObject({
    error: { code: 'works/closed', params: { opensAt: Date.parse('2026-12-01') } },
  });
});

it('says that chance is in what is ordered, and nothing of it elsewhere', async () => {
  const { quote, nowMs } = await quotingGame();
  expect(await quote('town:start', { thing: 'mill', activity: 'dig' })).toMatchObject({
    chance: true,
    doneAt: nowMs() + HOUR_MS,
    events: [
      { type: 'town/ordered', order: { ranges: { gold: [1, 9] }, oneOf: { name: 'find' } } },
      { type: 'town/started' },
    ],
  });
  expect(await quote('town:start', { thing: 'mill', activity: 'build' })).not.toHaveProperty('chance');
});

it('has no `doneAt` where a rule of another module would fail on the way, and is quoted all the same', async () => {
  const fails = () => {
    throw new Error('torn');
  };
  const modules: readonly AnyModule[] = [works({ name: 'town', rules }), puppet('aa', { complete: fails })];
  const { kibble } = await handCrankedGame('', (host) => ({
    kibble: createKibble({ ...host, playerId: ({ sub }) => sub, modules }),
  }));
  const items = { wood: 100 };
  await kibble.homes.grant([{ playerId: 'ann', commandId: 'gift-0001', items, reason: 'gift' }]);
  const say = (type: string, commandId: string, more: object) =>
    kibble.homes.handle([{ playerId: 'ann', type, payload: { commandId, ...more } }]);
  await say('town:place', 'command-1', { thing: 'hall' });
  const quote = () => kibble.service.quote('ann', { type: 'town:start', thing: 'hall', activity: 'build' } as never);
  const before = await quote();
  expect(before).toMatchObject({ ok: true, value: { doneAt: expect.any(Number) } });
  const doneAt = before.ok ? Number(before.value.doneAt) : 0;
  await say('aa:say', 'command-2', { events: [{ type: 'set', thing: 'x', dueAtMs: doneAt - 1 }] });
  const after = await quote();
  expect(after).toMatchObject({ ok: true, value: { events: [{ type: 'town/ordered' }, {}] } });
  expect(after.ok && after.value.doneAt).toBeUndefined();
});
