import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { farm } from '../../examples/farm.ts';
import { village } from '../../examples/village.ts';
import { createKibble } from '../../server/kibble.ts';
import type { AnyModule } from '../../shared/module/module.ts';
import { HOUR_MS, handCrankedGame } from '../support/game/hand-cranked-game.ts';

const gameOf = async (module: AnyModule, items: Readonly<Record<string, number>>) => {
  const modules: readonly AnyModule[] = [{ ...module, starter: () => items }];
  const game = await handCrankedGame('', (host) => ({
    kibble: createKibble({ ...host, playerId: ({ sub }) => sub, modules }),
  }));
  let commands = 0;
  const say = async (type: string, payload: object) => {
    const order = { playerId: 'ann', type, payload: { commandId: `command-${++commands}`, ...payload } };
    const [outcome] = await game.kibble.homes.handle([order]);
    return outcome?.ok ? 'done' : outcome?.error.code;
  };
  const home = async () => (await game.kibble.homes.look(['ann']))[0]?.home;
  return { ...game, say, home };
};

it('a village: two build, the third waits for a builder, a card makes one ready sooner', async () => {
  const { say, pass, home } = await gameOf(village, { wood: 60, hourglass: 1 });
  for (const site of ['hall', 'mill', 'barn']) expect(await say('village:upgrade', { site })).toBe('done');
  expect(await say('village:use-card', { site: 'hall', card: 'hourglass' })).toBe('done');
  await pass(HOUR_MS);
  expect((await home())?.things.village).toMatchObject({ hall: { level: 1 }, mill: { level: 1 }, barn: { level: 1 } });
  expect(await say('village:upgrade', { site: 'hall' })).toBe('item/out-of-stock');
  expect((await home())?.items).toMatchObject({ wood: 30, gold: 15 });
});

it('a farm: a crop waits to be collected, and withers', async () => {
  const { say, pass, home } = await gameOf(farm, { seed: 2, water: 1, manure: 1 });
  for (const plot of ['a', 'b']) expect(await say('farm:sow', { plot })).toBe('done');
  for (const card of ['water', 'manure']) expect(await say('farm:use-card', { plot: 'a', card })).toBe('done');
  await pass(HOUR_MS - 1);
  expect(await say('farm:collect', { plot: 'a' })).toBe('farm/nothing-ripe');
  await pass(1);
  expect(await say('farm:collect', { plot: 'a' })).toBe('done');
  expect(await say('farm:sow', { plot: 'b' })).toBe('farm/sown-already');
  await pass(11 * HOUR_MS);
  expect((await home())?.things).toEqual({});
  expect((await home())?.items).toMatchObject({ wheat: 3 });
});

describe('a module that has what pets have', () => {
  const linesOf = (text: string): number => text.split('\n').filter((line) => !/^\s*(\/\/|$)/.test(line)).length;
  const tests = readFileSync(import.meta.filename, 'utf8').match(/^it\('a \w+: [\s\S]*?^}\);$/gm) ?? [];

  it.each(['village', 'farm'])('%s is written in sixty lines, and its test in twenty', (name) => {
    const source = readFileSync(path.join(import.meta.dirname, `../../examples/${name}.ts`), 'utf8');
    expect(linesOf(source)).toBeLessThanOrEqual(60);
    expect(linesOf(source)).toBeGreaterThan(20);
    const test = tests.find((text) => text.startsWith(`it('a ${name}: `)) ?? '';
    expect(linesOf(test)).toBeLessThanOrEqual(20);
    expect(linesOf(test)).toBeGreaterThan(5);
  });

  it.each(['daily-quests', 'letters', 'match-clock', 'friend-helps'])('%s is written in sixty lines', (name) => {
    const source = readFileSync(path.join(import.meta.dirname, `../../examples/${name}.ts`), 'utf8');
    expect(linesOf(source)).toBeLessThanOrEqual(60);
    expect(linesOf(source)).toBeGreaterThan(20);
  });
});
