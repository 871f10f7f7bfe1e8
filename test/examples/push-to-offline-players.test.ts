import { expect, it } from 'vitest';
import { openPets } from '../../examples/push-to-offline-players.ts';
import { HOUR_MS, handCrankedGame } from '../support/game/hand-cranked-game.ts';

it('pushes to the player who is away, once, also when the service was down meanwhile', async () => {
  let isDown = true;
  const sent: { playerId: string; text: string; key: string }[] = [];
  const { kibble, pass } = await handCrankedGame('', (host) =>
    openPets(host, {
      online: async () => new Set(['bea']),
      push: async (messages) => {
        if (isDown) throw new Error('the push service is down');
        sent.push(...messages);
      },
    }),
  );
  for (const playerId of ['ann', 'bea']) {
    const [adopted] = await kibble.homes.handle([
      { playerId, type: 'home:adopt', payload: command({ name: 'Rex', species: 'dog' }) },
    ]);
    const petId = adopted?.ok ? adopted.value.petId : undefined;
    if (typeof petId !== 'string') throw new Error('refused');
    await kibble.homes.handle([{ playerId, type: 'home:feed', payload: command({ petId, food: 'dog-food' }) }]);
  }
  await pass(4 * HOUR_MS - 1);
  expect(sent).toEqual([]);
  await pass(1);
  expect(sent).toEqual([]);
  isDown = false;
  await pass(60_000);
  await pass(60_000);
  expect(sent).toEqual([
    { playerId: 'ann', text: 'Your pet has finished its meal: 10 xp!', key: expect.stringMatching(/^ann~4~\d+$/) },
  ]);
});

let commands = 0;
const command = <Fields extends object>(fields: Fields) => ({ commandId: `command-${++commands}`, ...fields });
