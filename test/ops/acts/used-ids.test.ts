import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { NotRetryable } from '../../../server/timer/fire/not-retryable.ts';
import { type OpsServer, startOpsServer, why } from '../../support/game/ops-server.ts';

// One commandId in several acts: a ticket's number, or a campaign's name.

let server: OpsServer;
beforeAll(async () => {
  const fire = () => Promise.reject(new NotRetryable('no such order'));
  server = await startOpsServer(inject('postgresUrl'), { kinds: [{ kind: 'order', fire }] });
});
afterAll(() => server.close());

const adopt = (playerId: string) => server.play(playerId, { type: 'home:adopt', name: 'Rex', species: 'dog' });
const actionsOf = async (commandId: string) => {
  const { entries } = (await server.ask('audit')).body;
  return entries.filter((entry) => entry.commandId === commandId).map(({ action }) => action);
};

describe('an erasure', () => {
  it('has its entry in the audit, and is repeatable, with the commandId of an earlier act on the player', async () => {
    await adopt('ann');
    const body = why();
    await server.ask('freeze', { playerId: 'ann' }, body);
    const erased = await server.ask('erase', { playerId: 'ann' }, body);
    expect(erased).toMatchObject({ status: 200, body: { answer: { removed: { home: 1 } } } });
    expect(await actionsOf(body.commandId)).toEqual(['erase', 'freeze']);
    expect(await server.ask('erase', { playerId: 'ann' }, body)).toEqual(erased);
  });

  it('ends each life of an id in which the same commandId was used', async () => {
    const welcome = why({ items: { snack: 1 } });
    for (let life = 0; life < 3; life += 1) {
      await adopt('bea');
      expect(await server.ask('grant', { playerId: 'bea' }, welcome)).toMatchObject({ status: 200 });
      expect(await server.ask('erase', { playerId: 'bea' }, why())).toMatchObject({ status: 200 });
    }
    expect(await actionsOf(welcome.commandId)).toEqual(['grant', 'grant', 'grant']);
  });
});

it('an act on many targets is refused, also on trial, if one of them had another act of its commandId', async () => {
  const order = { kind: 'order', subject: 'order-1', owner: 'cleo', dueAtMs: server.clock.nowMs() };
  const [made] = await server.kibble.timers.schedule([order]);
  const timerId = made && 'timer' in made ? made.timer.id : '';
  const body = why();
  await server.kibble.runDue();
  expect(await server.ask('reviveTimer', { timerId }, body)).toMatchObject({ status: 200 });
  await server.kibble.runDue();
  for (const dryRun of [true, false]) {
    const refused = await server.ask('reviveDead', {}, { ...body, kind: 'order', dryRun });
    expect(refused).toMatchObject({ status: 409, body: { code: 'command/reused' } });
  }
  expect((await server.ask('timer', { timerId })).body).toMatchObject({ state: 'dead' });
  expect(await actionsOf(body.commandId)).toEqual(['revive']);
});
