import { expect, inject, it, onTestFinished } from 'vitest';
import { pets } from '../../../server/kibble.ts';
import { startOpsServer, why } from '../../support/game/ops-server.ts';

const starting = async (...given: Parameters<typeof startOpsServer>) => {
  const server = await startOpsServer(...given);
  onTestFinished(() => server.close());
  return server;
};

/** Rules in which a player may have so many pets, which eat `food`. */
const rulesOf = (petsPerPlayer: number, food: string) => ({
  limits: { petsPerPlayer },
  foods: { [food]: { workMs: '1h', xp: 1 } },
});

it('the limits that a merge names and the items of a module are those in force, not those of the start', async () => {
  const server = await starting(inject('postgresUrl'), { modules: [pets(rulesOf(1, 'bone'))] });
  const replace = async (config: object, expectedVersion: number) => {
    await server.clock.advance(2000);
    const order = why({ config, expectedVersion });
    expect(await server.ask('replaceRules', { module: 'pets' }, order)).toMatchObject({ status: 200 });
  };
  const mergeInto = async (account: string) => {
    for (const playerId of [`guest-of-${account}`, account]) {
      await server.play(playerId, { type: 'home:adopt', name: 'Rex', species: 'dog' });
    }
    return (await server.ask('merge', { playerId: `guest-of-${account}` }, why({ into: account }))).body.answer;
  };
  expect(await mergeInto('ann')).toMatchObject({ aboveLimit: [{ have: 2, limit: 1 }] });
  await replace(rulesOf(2, 'fish'), 1);
  expect(await mergeInto('bea')).toMatchObject({ aboveLimit: [] });
  const [seen] = (await server.ask('modules')).body.modules;
  expect(seen?.items).toContain('fish');
  expect(seen?.items).not.toContain('bone');
  await replace(rulesOf(1, 'fish'), 2);
  expect(await mergeInto('cleo')).toMatchObject({ aboveLimit: [{ have: 2, limit: 1 }] });
});

it('rules of the start wait until an operator applies them', async () => {
  const first = await startOpsServer(inject('postgresUrl'), { modules: [pets(rulesOf(1, 'bone'))] });
  await first.clock.advance(2000);
  await first.ask('replaceRules', { module: 'pets' }, why({ config: rulesOf(2, 'bone'), expectedVersion: 1 }));
  await first.stop();
  const modules = [pets(rulesOf(3, 'bone'))];
  const server = await starting(inject('postgresUrl'), { modules, database: first.database });
  const isWaiting = async () => (await server.ask('rules')).body.modules[0]?.isFileWaiting;
  expect(await isWaiting()).toBe(true);
  await server.clock.advance(5000);
  await server.ask('replaceRules', { module: 'pets' }, why({ config: rulesOf(3, 'bone'), expectedVersion: 2 }));
  expect(await isWaiting()).toBe(false);
  await server.clock.advance(2000);
  await server.ask('rollBackRules', { module: 'pets' }, why({ version: 2, expectedVersion: 3 }));
  expect(await isWaiting()).toBe(true);
});

it('a clock that was put back stops no change of rules', async () => {
  const server = await starting(inject('postgresUrl'), { modules: [pets(rulesOf(1, 'bone'))] });
  const replaced = async (expectedVersion: number) => {
    const { status, body } = await server.ask(
      'replaceRules',
      { module: 'pets' },
      why({ config: rulesOf(expectedVersion + 1, 'bone'), expectedVersion }),
    );
    return status === 200 ? undefined : body.code;
  };
  expect(await replaced(1)).toBeUndefined();
  expect(await replaced(2)).toBe('rules/too-often');
  await server.pool.query('update kibble.rules set at = at + 3600000');
  expect(await replaced(2)).toBeUndefined();
  expect(await replaced(3)).toBe('rules/too-often');
});
