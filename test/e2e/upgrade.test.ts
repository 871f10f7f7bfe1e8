// Row 24 of the promises: a database of the release before, half of it overdue, upgraded while clients come back and play.
import path from 'node:path';
import { SignJWT } from 'jose';
import type { Pool } from 'pg';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { createPool } from '../../server/adapter/postgres/pool.ts';
import { createDataSource } from '../../server/adapter/postgres/schema/data-source.ts';
import { createKibble, silent } from '../../server/kibble.ts';
import { Fleet } from '../support/game/fleet.ts';
import { RestlessPlayer } from '../support/game/player.ts';
import { silentLog } from '../support/log/logs.ts';
import { type OrmDatabase, ormDatabase } from '../support/postgres/orm-database.ts';
import {
  becomeNextRelease,
  dueTimesOf,
  feedingsOf,
  keptHomes,
  laterBy,
  makeOldRelease,
} from '../support/postgres/releases.ts';
import { differencesIn } from '../support/postgres/timer-database.ts';
import { prove } from '../support/properties/prove.ts';

/** A new meal takes a fifth of a second; those of before have their own time. */
const rules = { foods: { 'dog-food': { workMs: 200, xp: 1 } } };
const SECRET = 'k7Qz1v9XbT4mR8wLcY2nPdF6sJhA3gUe';
const ISSUER = { JWT_ISSUER: 'https://id.example', JWT_AUDIENCE: 'game' };
/** Before any of them the next feeding ends long after the test. */
const AFTER_HALF_MS = 200_000;

const tokenOf = (playerId: string): Promise<string> =>
  new SignJWT({ sub: playerId, iss: ISSUER.JWT_ISSUER, aud: ISSUER.JWT_AUDIENCE, exp: 4_000_000_000 })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(new TextEncoder().encode(SECRET));

/** The state that must be equal: events, items and due times, by player. */
const contentsOf = async (pool: Pool) => {
  const read = async (sql: string) => Map.groupBy((await pool.query(sql)).rows, (row) => String(row.player_id));
  return {
    events: await read(
      'select player_id, seq::int, at::float8, type, body, command_id from kibble.event order by player_id, seq',
    ),
    items: await read('select player_id, item, count::int from kibble.item where count > 0 order by player_id, item'),
    things: await read(
      'select player_id, thing_id, due_at::float8 from kibble.thing order by player_id, length(thing_id), thing_id',
    ),
  };
};

/** The same database, upgraded while no player is connected, then settled once. */
const upgradedInPeace = async (database: OrmDatabase, players: readonly string[]) => {
  const kibble = createKibble({ pool: database.pool, playerId: ({ sub }: { sub: string }) => sub, log: silent });
  await kibble.lifecycle.boot();
  await kibble.homes.look(players);
  await kibble.lifecycle.shutdown();
  return contentsOf(database.pool);
};

it('no event, item or due time differs from an upgrade in peace, and what is played is there once', {
  timeout: 120_000,
}, async (context) => {
  const times = dueTimesOf(keptHomes());
  const halfAtMs = (times[times.length / 2] ?? 0) + AFTER_HALF_MS;
  const kept = laterBy(keptHomes(), Date.now() - halfAtMs);
  const players = (kept.home ?? []).map(({ player_id }) => String(player_id)).sort();
  becomeNextRelease();
  const fleet = await Fleet.open({
    rules,
    program: path.join(import.meta.dirname, '../support/postgres/next-server.ts'),
  });
  onTestFinished(() => fleet.close());
  const pool = createPool({ url: fleet.database.url, max: 4, log: silentLog });
  onTestFinished(() => pool.end());
  const old = await createDataSource({ pool, schema: 'kibble', log: silentLog }).initialize();
  await makeOldRelease({ pool, dataSource: old }, kept);
  const inPeace = await ormDatabase(inject('postgresUrl'), 'kibble');
  onTestFinished(() => inPeace.drop());
  await makeOldRelease(inPeace, kept);

  // They look for a server before there is one.
  const checkpoints = new Set((kept.checkpoint ?? []).map(({ player_id }) => String(player_id)));
  const playing = players.filter((playerId) => !checkpoints.has(playerId)).slice(0, 4);
  const games = await Promise.all(
    playing.map(async (playerId) => {
      return RestlessPlayer.signIn(fleet.balancer.address, await tokenOf(playerId));
    }),
  );
  let isOver = false;
  const played = Promise.all(games.map((game) => game.play(() => isOver)));
  const settings = { ROLE: 'all', ...ISSUER };
  await Promise.all([fleet.start('gateway-1', settings), fleet.start('gateway-2', settings)]);
  const adoptOneMore = () => Promise.all(games.map((game) => game.ask('home:adopt', { name: 'Max', species: 'dog' })));
  await adoptOneMore();
  await fleet.kill('gateway-1');
  // A connected player comes back through the other one.
  await adoptOneMore();
  isOver = true;
  await played;
  const overdue = times.filter((atMs) => atMs <= halfAtMs).length;
  expect(overdue).toBeGreaterThanOrEqual(times.length / 2);
  const completed = `select from kibble.event where type = 'feeding-completed' and body->>'feedingId' = any($1)`;
  const running = feedingsOf(kept);
  await vi.waitFor(async () => expect((await pool.query(completed, [running])).rowCount).toBe(overdue), 60_000);
  await Promise.all(games.map((game) => game.leave()));
  await fleet.stop('gateway-2');

  expect((await pool.query('select from kibble.thing where made_up_at is not null')).rowCount).toBe(times.length);

  const peace = await upgradedInPeace(inPeace, players);
  const found = await contentsOf(pool);
  for (const playerId of players) {
    const events = peace.events.get(playerId) ?? [];
    const game = games[playing.indexOf(playerId)];
    const log = found.events.get(playerId) ?? [];
    expect(log.slice(0, events.length)).toEqual(events);
    const ordered = log.slice(events.length).flatMap(({ command_id }) => command_id ?? []);
    expect(ordered.toSorted()).toEqual((game?.accepted ?? []).toSorted());
    const things = peace.things.get(playerId) ?? [];
    expect(found.things.get(playerId)?.slice(0, things.length)).toEqual(things);
    if (game) expect(game.seen.map(({ seq }) => seq)).toEqual(log.map(({ seq }) => seq));
    else expect(found.items.get(playerId)).toEqual(peace.items.get(playerId));
  }
  expect(await differencesIn(pool)).toEqual([]);
  prove(context, { row: 24, tries: 1, of: 'databases of the release before, upgraded while clients play' });
});
