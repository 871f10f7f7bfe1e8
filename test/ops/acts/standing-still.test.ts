import { expect, inject, it, onTestFinished } from 'vitest';
import { START_MS, startOpsServer, why } from '../../support/game/ops-server.ts';
import { type Puppet, puppet } from '../../support/modules/puppet.ts';

const torn = (): never => {
  throw new Error('torn');
};

it.each(['dueAtMs', 'run', 'title', 'waitingSinceMs'] as const)(
  'a home that stands still by `%s` is shown, frozen, taken from and unfrozen, each with its entry in the audit',
  async (rule) => {
    let fails = false;
    const rules = {
      dueAtMs: ({ dueAtMs }: Puppet) => dueAtMs,
      run: (_: Puppet, id: string) => `${id}-1`,
      title: (_: Puppet, id: string) => `the ${id}`,
      waitingSinceMs: ({ sinceMs }: Puppet) => sinceMs,
    };
    const failing = { [rule]: (thing: Puppet, id: string) => (fails ? torn() : rules[rule](thing, id)) };
    const server = await startOpsServer(inject('postgresUrl'), { modules: [puppet('aa', { ...rules, ...failing })] });
    onTestFinished(() => server.close());
    const ann = { playerId: 'ann' };
    await server.play('ann', { type: 'home:grant', items: { wood: 5 }, reason: 'gift' });
    const events = [{ type: 'set', thing: 'x', dueAtMs: START_MS + 1000 }];
    await server.play('ann', { type: 'aa:say', events } as never);
    fails = true;
    const things = [{ module: 'aa', id: 'x', state: { dueAtMs: START_MS + 1000 } }];
    expect(await server.ask('player', ann)).toMatchObject({ status: 200, body: { items: { wood: 5 }, things } });
    expect(await server.ask('freeze', ann, why())).toMatchObject({ status: 200 });
    expect((await server.ask('player', ann)).body.frozenAtMs).toBe(START_MS);
    expect(await server.ask('take', ann, why({ items: { wood: 2 } }))).toMatchObject({ status: 200 });
    expect(await server.ask('unfreeze', ann, why())).toMatchObject({ status: 200 });
    const { entries } = (await server.ask('audit', {}, { target: 'player:ann' })).body;
    expect(entries.map(({ action }) => action)).toEqual(['unfreeze', 'take', 'freeze']);
  },
);
