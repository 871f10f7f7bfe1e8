import { expect, it } from 'vitest';
import { createKibble } from '../../../server/kibble.ts';
import { gameThatChanges } from '../../support/game/game-that-changes.ts';
import { handCrankedGame } from '../../support/game/hand-cranked-game.ts';
import { puppet } from '../../support/modules/puppet.ts';

const why = { by: 'ada', reason: 'because of a test' };

const brokenHome = async () => {
  const rule = { fails: true };
  const complete = ({ id }: { readonly id: string }) => {
    if (rule.fails) throw new Error('torn');
    return [{ type: 'gone', thing: id }];
  };
  const { kibble, nowMs, pass, pool } = await handCrankedGame('', (host) => ({
    kibble: createKibble({ ...host, playerId: ({ sub }) => sub, modules: [puppet('aa', { complete })] }),
  }));
  const [ann, saidAtMs] = ['ann', nowMs()];
  const say = (commandId: string, events: readonly object[]) =>
    kibble.homes.handle([{ playerId: ann, type: 'aa:say', payload: { commandId, events } } as never]);
  await kibble.homes.grant([{ playerId: ann, commandId: 'gift-0001', items: { wood: 5 }, reason: 'gift' }]);
  await say('command-1', [{ type: 'set', thing: 'x', dueAtMs: saidAtMs + 10 }]);
  await pass(1000);
  const act = async (commandId: string, type: 'ops:freeze' | 'ops:unfreeze') =>
    (await kibble.service.handle([{ playerId: ann, commandId, command: { type, ...why } }]))[0];
  const look = async () => (await kibble.homes.look([ann]))[0];
  return { kibble, pool, rule, say, act, look, saidAtMs };
};

it('a home that stands still can be frozen, and what is due in it keeps its time', async () => {
  const { rule, say, act, look, saidAtMs } = await brokenHome();
  expect(await say('command-2', [])).toMatchObject([{ ok: false, error: { code: 'module/fault' } }]);
  expect(await act('freeze-01', 'ops:freeze')).toMatchObject({
    ok: true,
    value: { events: [{ type: 'player-frozen', at: saidAtMs, ...why }] },
  });
  expect(await act('freeze-02', 'ops:freeze')).toMatchObject({ ok: false, error: { code: 'player/frozen' } });
  expect(await look()).toMatchObject({ fault: { module: 'aa', thing: 'x' }, home: { frozenAtMs: saidAtMs } });
  rule.fails = false;
  expect(await look()).toMatchObject({ home: { things: {}, lastAtMs: saidAtMs + 10, frozenAtMs: saidAtMs } });
  expect(await say('command-3', [])).toMatchObject([{ error: { code: 'player/frozen' } }]);
  expect(await act('unfreeze-1', 'ops:unfreeze')).toMatchObject({ ok: true });
});

it('items can be taken from a home that stands still, and none can be given', async () => {
  const { kibble, pool, look } = await brokenHome();
  const order = { playerId: 'ann', items: { wood: 2 }, reason: 'mistake' };
  expect(await kibble.homes.take([{ ...order, commandId: 'taken-001' }])).toMatchObject([{ ok: true }]);
  const refused = [{ ok: false, error: { code: 'module/fault' } }];
  expect(await kibble.homes.grant([{ ...order, commandId: 'given-001' }])).toMatchObject(refused);
  const tx = await pool.connect();
  await tx.query('begin');
  const { outcomes, afterCommit } = await kibble.homes.take([{ ...order, commandId: 'taken-003' }], { tx });
  await tx.query('commit');
  tx.release();
  afterCommit();
  expect(outcomes).toMatchObject([{ ok: true }]);
  const tooMany = { ...order, items: { wood: 9 }, commandId: 'taken-002' };
  expect(await kibble.homes.take([tooMany])).toMatchObject([{ error: { code: 'item/out-of-stock' } }]);
  expect(await look()).toMatchObject({
    fault: { thing: 'x' },
    home: { items: { wood: 1 }, things: { aa: { x: {} } } },
  });
});

it('a home whose things cannot be renewed can be frozen, and items can be taken', async () => {
  let fails = false;
  const renew = () => {
    if (fails) throw new Error('torn');
    return [];
  };
  const { kibble, nowMs, pass } = await handCrankedGame('', (host) => ({
    kibble: createKibble({ ...host, playerId: ({ sub }) => sub, modules: [puppet('aa', { renew })] }),
  }));
  const order = { playerId: 'ann', items: { wood: 5 }, reason: 'gift' };
  await kibble.homes.mustGrant([{ ...order, commandId: 'gift-0001' }]);
  fails = true;
  await pass(1000);
  const refused = [{ ok: false, error: { code: 'module/fault' } }];
  expect(await kibble.homes.grant([{ ...order, commandId: 'gift-0002' }])).toMatchObject(refused);
  expect(await kibble.homes.take([{ ...order, commandId: 'taken-001' }])).toMatchObject([{ ok: true }]);
  const freeze = { playerId: 'ann', commandId: 'freeze-01', command: { type: 'ops:freeze', ...why } } as const;
  expect(await kibble.service.handle([freeze])).toMatchObject([{ ok: true, value: { events: [{ at: nowMs() }] } }]);
});

it.for(['starter', 'open'])(
  'a home that a new module cannot open, because its %s fails, can be frozen, and items can be taken',
  async (rule) => {
    const torn = () => {
      throw new Error('torn');
    };
    const { release } = await gameThatChanges();
    const order = { playerId: 'ann', items: { wood: 5 }, reason: 'gift' };
    const before = await release({ modules: [puppet('aa')] });
    await before.kibble.homes.mustGrant([{ ...order, commandId: 'gift-0001' }]);
    await before.end();
    const { kibble, end } = await release({ modules: [puppet('aa'), puppet('bb', { [rule]: torn })] });
    const refused = [{ ok: false, error: { code: 'module/fault', params: { module: 'bb' } } }];
    expect(await kibble.homes.grant([{ ...order, commandId: 'gift-0002' }])).toMatchObject(refused);
    expect(await kibble.homes.take([{ ...order, commandId: 'taken-001' }])).toMatchObject([{ ok: true }]);
    for (const type of ['ops:freeze', 'ops:unfreeze'] as const) {
      const act = { playerId: 'ann', commandId: `${type}-001`, command: { type, ...why } };
      expect(await kibble.service.handle([act])).toMatchObject([{ ok: true }]);
    }
    expect(await kibble.homes.look(['ann'])).toMatchObject([{ home: { opened: ['aa'] } }]);
    await end();
  },
);
