import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { faultOf } from '../../../server/gate/request-fault.ts';
import { mayBePlayer, playerOfPart, playerPart } from '../../../shared/ids.ts';
import { opsPath } from '../../../shared/ops/acts.ts';
import { runKibbleHere } from '../../support/game/kibble-command.ts';
import { type OpsServer, startOpsServer, tokenOf } from '../../support/game/ops-server.ts';

const FOLDED = ['.', '..', ...Object.getOwnPropertyNames(Object.prototype)];

let server: OpsServer;
beforeAll(async () => {
  server = await startOpsServer(inject('postgresUrl'));
});
afterAll(() => server.close());

const kibble = (...args: readonly string[]) =>
  runKibbleHere(['--url', `${server.address}/ops`, ...args], { KIBBLE_TOKEN: tokenOf('admin') });
const why = ['--reason', 'because of a test'];

describe.each(FOLDED)('the id %s', (id) => {
  it('becomes nobody’s', async () => {
    expect(mayBePlayer(id)).toBe(false);
    const gift = { playerId: id, commandId: 'a-gift-of-one', items: { snack: 1 }, reason: 'gift' };
    expect(await server.kibble.homes.grant([gift])).toMatchObject([{ ok: false, error: { code: 'command/invalid' } }]);
  });

  it('is carried where no URL folds it, past the gate', () => {
    const path = `/ops/${opsPath('player', { playerId: id })}`;
    expect(new URL(path, 'http://here').pathname).toBe(path);
    const bounds = { playerBody: 1, anyBody: 1, urlBytes: 8_000 };
    expect(faultOf({ method: 'GET', url: path, headers: {} } as never, bounds)).toBeUndefined();
    expect(playerOfPart(playerPart(id))).toBe(id);
  });
});

it('ids that every URL carries stay as they are', () => {
  for (const id of ['ann', 'guest:1', 'a.b', '...', 'Constructor']) {
    expect([playerPart(id), mayBePlayer(id)]).toEqual([id, true]);
  }
});

it.each(['..', 'constructor', '__proto__'])('a home of %s from before is shown, frozen, and erased', async (id) => {
  await server.play(id, { type: 'home:adopt', name: 'Rex', species: 'dog' });
  expect(await kibble('players', 'show', id)).toMatchObject({ code: 0, out: expect.stringContaining('Rex') });
  expect(await kibble('players', 'freeze', id, ...why)).toMatchObject({ code: 0 });
  expect(await kibble('revoke', '--player', id, '--yes', ...why)).toMatchObject({ code: 0 });
  expect(await kibble('players', 'erase', id, '--yes', ...why)).toMatchObject({ code: 0 });
  expect(await server.ask('player', { playerId: id })).toMatchObject({ status: 404 });
});

it('a part that is no id in base64url is none', async () => {
  const response = await fetch(`${server.address}/ops/api/players/~!`, {
    headers: { authorization: `Bearer ${tokenOf('admin')}` },
  });
  expect(await response.json()).toMatchObject({ code: 'command/invalid' });
});
