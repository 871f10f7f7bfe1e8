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

describe('a merge is refused, and changes nothing, if its commandId was used', () => {
  const gift = { items: { snack: 1 } };
  const rows = async () => (await server.pool.query('select * from kibble.event order by player_id, seq')).rows;
  const refusal = { status: 409, body: { code: 'command/reused' } };

  it('for an act on the account, also when its event is no longer in the log', async () => {
    await adopt('guest:1');
    await adopt('dora');
    const body = why();
    await server.ask('grant', { playerId: 'dora' }, { ...body, ...gift });
    const before = await rows();
    const merge = () => server.ask('merge', { playerId: 'guest:1' }, { ...body, into: 'dora' });
    expect(await merge()).toMatchObject({ ...refusal, body: { params: { commandId: body.commandId } } });
    expect(await rows()).toEqual(before);
    const forgotten = 'command_id = null, command_hash = null, answer_seq = null';
    await server.pool.query(`update kibble.event set ${forgotten} where command_id = $1`, [body.commandId]);
    expect(await merge()).toMatchObject(refusal);
    expect(await actionsOf(body.commandId)).toEqual(['grant']);
  });

  it('for the merge of another guest into the same account', async () => {
    for (const playerId of ['guest:2', 'guest:3', 'emil']) await adopt(playerId);
    const body = why({ into: 'emil' });
    expect(await server.ask('merge', { playerId: 'guest:2' }, body)).toMatchObject({ status: 200 });
    const before = await rows();
    expect(await server.ask('merge', { playerId: 'guest:3' }, body)).toMatchObject(refusal);
    expect(await rows()).toEqual(before);
  });

  it("by the guest's own command", async () => {
    const body = why({ into: 'emil' });
    const command = { type: 'home:adopt', name: 'Rex', species: 'dog' } as const;
    await server.kibble.service.handle([{ playerId: 'guest:4', commandId: body.commandId, command }]);
    expect(await server.ask('merge', { playerId: 'guest:4' }, body)).toMatchObject(refusal);
    expect(server.faults).toEqual([]);
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
