import { expect, it } from 'vitest';
import { createKibble, type Kibble, type KibbleOptions } from '../../server/kibble.ts';
import type { HandlerTx } from '../../server/timer/model/timer-kind.ts';
import { handCrankedGame } from '../support/game/hand-cranked-game.ts';

/** A game with timers that give dog food to their owners. */
const openGame = (host: Pick<KibbleOptions, 'pool' | 'clock'>) => {
  const after: (() => void)[] = [];
  const give = async (tx: HandlerTx, playerIds: readonly string[]): Promise<void> => {
    const orders = playerIds.map((playerId) => ({
      playerId,
      commandId: `gift-for-${playerId}`,
      items: { 'dog-food': 1 },
      reason: 'gift',
    }));
    const { outcomes, afterCommit } = await kibble.homes.grant(orders, { tx });
    expect(outcomes.every(({ ok }) => ok)).toBe(true);
    after.push(afterCommit);
  };
  const kibble: Kibble = createKibble({
    ...host,
    playerId: ({ sub }) => sub,
    kinds: [
      {
        kind: 'gift',
        retryDelaysMs: [],
        fire: async (timers, tx) => {
          await give(
            tx,
            timers.map(({ owner }) => owner),
          );
          // As its description says it may: in a handler it does nothing.
          for (const run of after.splice(0)) run();
          return undefined;
        },
      },
    ],
  });
  return { kibble };
};

const gift = (playerId: string, dueAtMs: number) => ({ kind: 'gift', subject: playerId, owner: playerId, dueAtMs });
const foodOf = async (kibble: Kibble, playerId: string) =>
  (await kibble.homes.look([playerId]))[0]?.home.items['dog-food'];

it('a handler changes homes in its transaction; followers hear of it after the commit, and not of what was rolled back', async () => {
  const { kibble, nowMs, pass, pool } = await handCrankedGame('', openGame);
  const heard: unknown[] = [];
  kibble.service.follow('ann', async ({ events }) => {
    const { rows } = await pool.query(`select count(*)::int as committed from kibble.event where player_id = 'ann'`);
    heard.push([events.map(({ type }) => type), rows[0]?.committed]);
  });
  await kibble.timers.schedule([gift('ann', nowMs())]);
  await pass(0);
  await expect.poll(() => heard).toEqual([[['items-granted', 'items-granted'], 2]]);
  expect(await foodOf(kibble, 'ann')).toBe(11);
});

it.each(['an old home', 'a new home'])(
  'does not wait for %s that another transaction has, and is not poison',
  async (which) => {
    const { kibble, nowMs, pass, pool } = await handCrankedGame('', openGame);
    if (which === 'an old home') {
      await kibble.homes.grant([{ playerId: 'bea', commandId: 'to-begin-with', items: { snack: 1 }, reason: 'test' }]);
    }
    const holder = await pool.connect();
    await holder.query('begin');
    if (which === 'an old home') await holder.query(`select from kibble.home where player_id = 'bea' for update`);
    else await holder.query(`select pg_advisory_xact_lock(hashtextextended('kibble.home.bea', 0))`);
    await kibble.timers.schedule([gift('ann', nowMs()), gift('bea', nowMs())]);
    await pass(0);
    expect(await kibble.timers.find([gift('ann', 0), gift('bea', 0)])).toMatchObject([
      { state: 'scheduled', attempt: 0, revision: 1 },
      { state: 'scheduled', attempt: 0, revision: 1 },
    ]);
    await pass(10);
    expect(await kibble.timers.find([gift('ann', 0), gift('bea', 0)])).toMatchObject([
      { state: 'completed' },
      { state: 'scheduled', attempt: 0, revision: 1 },
    ]);
    await holder.query('rollback');
    holder.release();
    await pass(100);
    expect(await kibble.timers.find([gift('bea', 0)])).toMatchObject([{ state: 'completed', attempt: 0 }]);
    expect(await foodOf(kibble, 'bea')).toBe(11);
  },
);

it('a home that only a newer release can read costs no attempt, is no misfire, and delays others once', async () => {
  const { kibble, nowMs, pass, pool } = await handCrankedGame('', openGame);
  const payload = { commandId: 'to-begin-with', name: 'Rex', species: 'dog' };
  await kibble.homes.handle([{ playerId: 'bea', type: 'home:adopt', payload }]);
  // As a newer release does.
  const raise = (by: number) => pool.query(`update kibble.thing set version = version + ${by} where player_id = 'bea'`);
  await raise(1);
  const states = async () =>
    (await kibble.timers.find([gift('ann', 0), gift('bea', 0), gift('cas', 0)])).map((timer) => timer?.state);
  const misfire = { afterMs: 1_000, late: 'skip' } as const;
  await kibble.timers.schedule([gift('ann', nowMs()), { ...gift('bea', nowMs()), misfire }]);
  await pass(0);
  await pass(500);
  expect(await states()).toEqual(['completed', 'scheduled', undefined]);
  await pass(500);
  await kibble.timers.schedule([gift('cas', nowMs() + 500)]);
  await pass(500);
  expect(await states()).toEqual(['completed', 'scheduled', 'completed']);
  expect(await kibble.timers.find([gift('bea', 0)])).toMatchObject([{ attempt: 0, lastError: undefined }]);
  await raise(-1);
  await pass(500);
  expect(await states()).toEqual(['completed', 'completed', 'completed']);
  expect(await foodOf(kibble, 'bea')).toBe(11);
});
