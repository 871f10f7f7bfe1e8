import { expect, inject, it, onTestFinished } from 'vitest';
import { startOpsServer, why } from '../../support/game/ops-server.ts';
import { puppet } from '../../support/modules/puppet.ts';

/** Opens with a hall for wood, which the starter has. */
const village = puppet('village', {
  starter: () => ({ wood: 5 }),
  open: () => [{ type: 'set', thing: 'hall', note: 'new', items: { wood: -5, gold: 50 } }],
});
/** Came later: the guest gives no command after that. */
const town = puppet('town', { starter: () => ({ wood: 60 }) });

const server = async () => {
  const { close, stop, ...first } = await startOpsServer(inject('postgresUrl'), { modules: [village] });
  await first.play('guest', { type: 'village:say', events: [{ type: 'set', thing: 'hall', note: 'old' }] } as never);
  return { ...first, stop, close };
};

it('a new account gets what the guest has opened, and opens the rest itself', async () => {
  const before = await server();
  await before.stop();
  const after = await startOpsServer(inject('postgresUrl'), { modules: [village, town], database: before.database });
  onTestFinished(() => after.close());
  const { body } = await after.ask('merge', { playerId: 'guest' }, why({ into: 'ann', isNew: true }));
  expect(body.answer.left).toEqual([]);
  const homeOf = async () => (await after.kibble.service.look(['ann']))[0]?.home;
  await after.play('ann', { type: 'home:grant', items: { gold: 1 }, reason: 'gift' });
  expect(await homeOf()).toMatchObject({
    items: { gold: 51, wood: 60 },
    things: { village: { hall: { note: 'old' } } },
    opened: ['village', 'town'],
  });
});

it('an older account that has not opened the guest’s module keeps the guest’s things', async () => {
  const before = await server();
  await before.stop();
  const other = await startOpsServer(inject('postgresUrl'), { modules: [town], database: before.database });
  await other.play('ann', { type: 'home:grant', items: { gold: 1 }, reason: 'gift' });
  await other.stop();
  const modules = [village, town];
  const after = await startOpsServer(inject('postgresUrl'), { modules, database: before.database });
  onTestFinished(() => after.close());
  const { body } = await after.ask('merge', { playerId: 'guest' }, why({ into: 'ann' }));
  expect(body.answer.left).toEqual([]);
  expect((await after.kibble.service.look(['ann']))[0]?.home).toMatchObject({
    items: { gold: 51, wood: 65 },
    things: { village: { hall: { note: 'old' } } },
  });
});
