import { afterAll, beforeAll, expect, it } from 'vitest';
import { Fleet } from '../support/game/fleet.ts';
import { joinHome, type Player } from '../support/game/player.ts';

let fleet: Fleet;
beforeAll(async () => {
  fleet = await Fleet.open();
  await Promise.all([fleet.start('gateway-1'), fleet.start('gateway-2')]);
}, 60_000);
afterAll(() => fleet.close(), 60_000);

const leftOf = ({ room }: Player): Promise<number> => new Promise((resolve) => room.onLeave(resolve));

it('revoked on one gateway, a player is let go by all, and joins none again', { timeout: 60_000 }, async () => {
  const addresses = ['gateway-1', 'gateway-2'].map((name) => fleet.addressOf(name));
  const [first = '', second = ''] = addresses;
  const one = await joinHome(first);
  const { token } = one;
  const two = await joinHome(second, { token });
  const other = await joinHome(second);
  const { petId } = await one.ask('home:adopt', { name: 'Rex', species: 'dog' });
  const { playerId } = one.state;
  const left = [leftOf(one), leftOf(two)];

  const answer = await fetch(`${first}/ops/api/players/${encodeURIComponent(playerId)}/revoke`, {
    method: 'POST',
    headers: { authorization: 'Bearer Zx81kQmW4vTn7LrB2yHcD5sJ', 'content-type': 'application/json' },
    body: JSON.stringify({ commandId: 'revoke-command', reason: 'the token was stolen' }),
  });

  expect(answer.status).toBe(200);
  expect(await Promise.all(left)).toEqual([4401, 4401]);
  for (const address of addresses) {
    for (const each of new Set([token, one.token, two.token])) {
      await expect(joinHome(address, { token: each })).rejects.toThrow(/auth\/refused/);
    }
  }
  expect(petId).toBeDefined();
  expect((await other.ask('home:adopt', { name: 'Tom', species: 'cat' })).seq).toBe(2);
  await other.room.leave();
});
