import { inspect } from 'node:util';
import type { Pool } from 'pg';
import { expect, it } from 'vitest';
import { village } from '../../examples/village.ts';
import { pets, RefusedByHost, silent } from '../../server/kibble.ts';
import type { Changed, Sql } from '../../shared/module/module.ts';
import { gameThatChanges, START_MS } from '../support/game/game-that-changes.ts';

const HOUR_MS = 3_600_000;

type Villages = readonly Changed<typeof village.initial, typeof village.events>[];

const withStarter = { ...village, starter: () => ({ wood: 500, hourglass: 1 }) };
const scored = (inTransaction: (tx: Sql, changes: Villages) => Promise<void>) => ({ ...withStarter, inTransaction });

const addScores = async (tx: Sql, changes: Villages): Promise<void> => {
  const rows = changes.flatMap(({ playerId, events }) => events.map(({ type }) => [playerId, type] as const));
  await tx.query('insert into town.score select * from unnest($1::text[], $2::text[])', [
    rows.map(([playerId]) => playerId),
    rows.map(([, type]) => type),
  ]);
};

const scoreTable = async (pool: Pool): Promise<void> => {
  await pool.query('create schema town');
  await pool.query(`create table town.score (player_id text, type text check (type <> 'card-used'))`);
};
const scoresOf = async (pool: Pool, playerId: string): Promise<readonly string[]> =>
  (
    await pool.query<{ type: string }>('select type from town.score where player_id = $1 order by ctid', [playerId])
  ).rows.map(({ type }) => type);

it('saves the game’s own rows with the home, once a transaction for all its players; a quote writes none', async () => {
  const { release, pool, clock } = await gameThatChanges();
  await scoreTable(pool);
  const heard: Villages[] = [];
  const { kibble, say } = await release({
    modules: [
      pets(),
      scored(async (tx, changes) => {
        heard.push(changes);
        await addScores(tx, changes);
      }),
    ],
  });
  const players = Array.from({ length: 40 }, (_, at) => `player-${at}`);
  await Promise.all(players.map((playerId) => say(playerId, 'village:upgrade', { site: 'hall' })));
  expect(heard.length).toBeLessThan(20);
  expect(heard.flat().map(({ playerId }) => playerId)).toEqual(expect.arrayContaining(players));
  expect(await scoresOf(pool, 'player-7')).toEqual(['queued', 'started']);
  const [first] = heard.flat();
  expect(first?.events[0]).toMatchObject({ type: 'queued', thing: 'hall', at: START_MS });
  expect(first?.things).toMatchObject({ hall: { level: 0, work: { leftMs: HOUR_MS } } });

  const calls = heard.length;
  await kibble.service.quote('player-7', { type: 'village:use-card', site: 'hall', card: 'hourglass' });
  await say('player-7', 'home:adopt', { name: 'Rex', species: 'dog' });
  expect(heard).toHaveLength(calls);

  clock.advance(HOUR_MS);
  await kibble.runDue();
  expect(await scoresOf(pool, 'player-7')).toEqual(['queued', 'started', 'finished']);
  await kibble.lifecycle.shutdown();
});

it('refuses the one command whose rows the game refuses; those beside it are saved, in order', async () => {
  const { release, pool } = await gameThatChanges();
  await scoreTable(pool);
  const { home, say, end } = await release({
    modules: [
      pets(),
      scored(async (tx, changes) => {
        const poor = changes.find(({ playerId, things }) => playerId === 'bob' && things.mill);
        if (poor) throw new RefusedByHost('bob', 'town/no-road', { site: 'mill' });
        await addScores(tx, changes);
      }),
    ],
  });
  const asked = await Promise.all([
    say('ann', 'village:upgrade', { site: 'mill' }),
    say('bob', 'village:upgrade', { site: 'hall' }),
    say('bob', 'village:upgrade', { site: 'mill' }),
    say('bob', 'village:upgrade', { site: 'barn' }),
    say('cat', 'village:upgrade', { site: 'mill' }),
  ]);
  const no = { ok: false, error: { code: 'town/no-road', params: { site: 'mill' }, retryable: false } };
  expect(asked).toMatchObject([{ ok: true }, { ok: true }, no, { ok: true }, { ok: true }]);
  expect((await home('bob'))?.things.village).toMatchObject({ hall: { work: {} }, barn: { work: {} } });
  expect((await home('bob'))?.things.village).not.toHaveProperty('mill');
  expect(await scoresOf(pool, 'bob')).toEqual(['queued', 'started', 'queued', 'started']);
  await end();
});

it('says which module’s rows failed, to the command alone', async () => {
  const { release, pool } = await gameThatChanges();
  await scoreTable(pool);
  const told: string[] = [];
  const note = (fields: object, message: string): void => {
    told.push(`${message} ${inspect(fields)}`);
  };
  const log = { ...silent, warn: note, error: note };
  const { home, say, end } = await release({ log, modules: [pets(), scored(addScores)] });
  await say('ann', 'village:upgrade', { site: 'hall' });
  const card = { site: 'hall', card: 'hourglass' };
  const fault = { code: 'module/fault', params: { module: 'village' }, retryable: false };
  expect(await say('ann', 'village:use-card', card)).toMatchObject({ ok: false, error: fault });
  expect((await home('ann'))?.items).toMatchObject({ hourglass: 1 });
  expect(await say('ann', 'village:upgrade', { site: 'mill' })).toMatchObject({ ok: true });
  expect(told.join()).toContain('inTransaction of village: ');
  await end();
});

it('lets a home stand still where settling is refused, and goes on with the next deploy', async () => {
  const { release, pool, clock } = await gameThatChanges();
  await scoreTable(pool);
  const { kibble, say, end } = await release({
    modules: [
      pets(),
      scored(async (_, changes) => {
        const done = changes.filter(({ events }) => events.some(({ type }) => type === 'finished'));
        if (done.some(({ playerId }) => playerId === 'ann')) throw new RefusedByHost('ann', 'town/burnt-down');
      }),
    ],
  });
  await Promise.all(['ann', 'bob'].map((playerId) => say(playerId, 'village:upgrade', { site: 'hall' })));
  clock.advance(HOUR_MS);
  await kibble.runDue();
  expect(await kibble.homes.look(['ann', 'bob'])).toMatchObject([
    { home: { things: { village: { hall: { level: 0 } } } }, fault: { module: 'village' } },
    { home: { things: { village: { hall: { level: 1 } } } } },
  ]);
  const fault = { code: 'module/fault', params: { module: 'village' }, retryable: false };
  expect(await say('ann', 'village:upgrade', { site: 'mill' })).toMatchObject({ ok: false, error: fault });
  await end();

  clock.advance(HOUR_MS);
  const mended = await release({ modules: [pets(), withStarter] });
  expect((await mended.home('ann'))?.things.village).toMatchObject({ hall: { level: 1 } });
  const log = await mended.kibble.service.sync('ann', { afterSeq: 0 });
  expect(log.ok && log.value.events.at(-1)).toMatchObject({ type: 'village/finished', at: START_MS + HOUR_MS });
  await mended.end();
});
