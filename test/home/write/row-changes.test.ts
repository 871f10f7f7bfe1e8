import { expect, it } from 'vitest';
import { judge, openHome } from '../../../server/domain/judge.ts';
import { changedFeedings } from '../../../server/home/write/row-changes.ts';
import { defaultCatalogue } from '../../../shared/catalogue.ts';
import { fold } from '../../../shared/evolve.ts';
import { newHome } from '../../../shared/home.ts';
import type { Command } from '../../../shared/protocol.ts';

it('keeps of a feeding that a card has ended that a card was played on it', () => {
  const commands: readonly Command[] = [
    { type: 'home:adopt', name: 'Rex', species: 'dog' },
    { type: 'home:feed', petId: 'anna~p2', food: 'dog-food' },
    { type: 'home:use-card', petId: 'anna~p2', card: 'speed-up', count: 2 },
  ];
  let home = fold(newHome('anna'), openHome(newHome('anna'), defaultCatalogue, 1));
  for (const command of commands) {
    const before = home;
    const judged = judge({ catalogue: defaultCatalogue, home, command, commandId: 'any', nowMs: 2 });
    home = judged.home;
    const events = judged.decision.ok ? judged.decision.value : [];
    const [row] = changedFeedings([{ before, after: home, events, commands: new Map() }]);
    if (command.type === 'home:use-card')
      expect(row).toMatchObject({ state: 'completed', feeding: { hasCards: true } });
  }
  expect.assertions(1);
});
