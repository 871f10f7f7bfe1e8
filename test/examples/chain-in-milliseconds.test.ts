import { expect, it } from 'vitest';
import { createKibble, type GameCommand, type Kibble } from '../../server/kibble.ts';
import { defaultCatalogue } from '../../shared/pets/catalogue.ts';
import type { CommandType } from '../../shared/pets/protocol.ts';
import { play } from '../../testing/laws.ts';
import { HOUR_MS, handCrankedGame } from '../support/game/hand-cranked-game.ts';

const rules = { starter: { items: { 'dog-food': 2, 'speed-up': 1, boost: 1, 'auto-feed': 1 } } };

it('plays a feeding of four hours with three cards, and the one that follows it, on a clock moved by hand', async () => {
  const { kibble, pass, column, nowMs } = await handCrankedGame('', (host) => ({
    kibble: createKibble({ ...host, rules, playerId: ({ sub }: { readonly sub: string }) => sub }) as Kibble,
  }));
  let commands = 0;
  const ask = async (type: 'home:adopt' | 'home:feed' | 'home:use-card', payload: object) => {
    commands += 1;
    const command = { playerId: 'ann', type, payload: { commandId: `command-${commands}`, ...payload } } as GameCommand;
    const [outcome] = await kibble.homes.handle([command]);
    if (!outcome?.ok) throw new Error(`refused: ${JSON.stringify(outcome)}`);
    return outcome.value;
  };
  const { petId } = await ask('home:adopt', { name: 'Rex', species: 'dog' });
  const startedAtMs = nowMs();
  await ask('home:feed', { petId, food: 'dog-food' });
  await ask('home:use-card', { petId, card: 'auto-feed' });
  await ask('home:use-card', { petId, card: 'boost' });
  // Four hours less the card's two; of the two that are left the boosted hour eats both.
  expect((await ask('home:use-card', { petId, card: 'speed-up' })).dueAt).toBe(startedAtMs + HOUR_MS);
  await pass(HOUR_MS);
  // The second one, with nothing to hurry it.
  await pass(4 * HOUR_MS);
  const completed = "select at - $START from kibble.event where type = 'feeding-completed' order by seq";
  const after = await column(completed.replace('$START', String(startedAtMs)));
  expect(after.map(Number)).toEqual([HOUR_MS, 5 * HOUR_MS]);
});

it('plays the same on the rules alone', () => {
  const sketch = { pet: 0, isApt: false, count: undefined, feeding: 'none', maxWastedMs: undefined } as const;
  const step = (type: CommandType, item = 0) => ({ afterMs: 0, command: { ...sketch, type, item } });
  const cards = Object.keys(defaultCatalogue.cards);
  const use = (card: string) => step('home:use-card', cards.indexOf(card));
  const history = [step('home:adopt'), step('home:feed'), use('auto-feed'), use('boost'), use('speed-up')];
  const { log } = play({ ...defaultCatalogue, ...rules }, history, { restMs: 10 * HOUR_MS });
  const startedAtMs = log.find(({ type }) => type === 'feeding-started')?.at ?? 0;
  const completed = log.filter(({ type }) => type === 'feeding-completed').map(({ at }) => at - startedAtMs);
  expect(completed).toEqual([HOUR_MS, 5 * HOUR_MS]);
});
