// docs/adopting.md, "Cells": two whole installations, each with a Postgres server of its own, and a sign-in that gives
// each player one of them.
import { createHash } from 'node:crypto';
import { SignJWT } from 'jose';
import { Pool } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createKibble, type GameCommand, type Kibble, ManualClock, silent } from '../../server/kibble.ts';
import { createTokens, type Tokens } from '../../server/room/tokens.ts';
import { type PostgresServer, startPostgres } from '../support/postgres/postgres-server.ts';

const HOUR_MS = 3_600_000;
const SECRET = 'k7Qz1v9XbT4mR8wLcY2nPdF6sJhA3gUe';
const ISSUER = 'https://sign-in.example';
const NAMES = ['north', 'south'] as const;
const players = Array.from({ length: 24 }, (_, at) => `player-${at}`);

interface Cell {
  readonly name: string;
  readonly server: PostgresServer;
  readonly pool: Pool;
  readonly clock: ManualClock;
  readonly kibble: Kibble;
  /** Takes the tokens that were signed for this cell. */
  readonly tokens: Tokens;
}

const openCell = async (name: string): Promise<Cell> => {
  const server = await startPostgres({ durable: true });
  const pool = new Pool({ connectionString: server.url, max: 4 });
  pool.on('error', () => undefined);
  const clock = new ManualClock(1_790_000_000_000);
  const kibble = createKibble({ pool, clock, log: silent, playerId: ({ sub }) => sub });
  await kibble.lifecycle.boot();
  const settings = { jwtSecret: SECRET, jwtIssuer: ISSUER, jwtAudience: name };
  return { name, server, pool, clock, kibble, tokens: createTokens(settings, () => 'guest') };
};

let cells: readonly Cell[] = [];
beforeAll(async () => {
  cells = await Promise.all(NAMES.map(openCell));
});
afterAll(async () => {
  for (const { kibble, pool, server } of cells) {
    await kibble.lifecycle.shutdown();
    await pool.end();
    await server.stop();
  }
});

const cellNamed = (name: string): Cell => {
  const cell = cells.find((each) => each.name === name);
  if (cell === undefined) throw new Error(`no cell ${name}`);
  return cell;
};

/** Which cell each player has, for good: a table of the sign-in's, in a database of its own. */
const accounts = new Map<string, string>();

/** A new player's cell is a hash of the id; a known one keeps what it has. The token counts in that cell alone. */
const signIn = async (playerId: string): Promise<{ readonly cell: string; readonly token: string }> => {
  const hash = createHash('sha256').update(playerId).digest().readUInt32BE();
  const cell = accounts.get(playerId) ?? NAMES[hash % NAMES.length] ?? '';
  accounts.set(playerId, cell);
  const signing = new SignJWT().setProtectedHeader({ alg: 'HS256' }).setIssuer(ISSUER).setAudience(cell);
  const token = await signing.setSubject(playerId).setExpirationTime('1h').sign(new TextEncoder().encode(SECRET));
  return { cell, token };
};

/** Whose homes are there. */
const homesIn = async ({ pool }: Cell): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ player_id: string }>('select player_id from kibble.home');
  return rows.map((row) => row.player_id);
};

/** A client's steps: signs in, goes to the given address, and plays. */
const play = async (playerId: string, type: string, payload: object): Promise<void> => {
  const { cell, token } = await signIn(playerId);
  const { tokens, kibble } = cellNamed(cell);
  const { sub } = await tokens.verify(token);
  const [outcome] = await kibble.homes.handle([{ playerId: sub, type, payload } as GameCommand]);
  if (!outcome?.ok) throw new Error(`refused: ${JSON.stringify(outcome)}`);
};

const adopt = (playerId: string) =>
  play(playerId, 'home:adopt', { commandId: 'adoption', name: 'Rex', species: 'dog' });
const feed = (playerId: string, commandId: string) =>
  play(playerId, 'home:feed', { commandId, petId: `${playerId}~p2`, food: 'dog-food' });
/** Whose meals were completed there, once each. */
const fedIn = async ({ pool }: Cell): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ player_id: string }>(
    "select player_id from kibble.event where type = 'feeding-completed'",
  );
  return rows.map((row) => row.player_id).toSorted();
};

it('spreads players at sign-in, each home lives in one cell, and losing a cell leaves the other playing', async () => {
  const [north, south] = [cellNamed('north'), cellNamed('south')];
  for (const playerId of players) await adopt(playerId);
  const homes = [await homesIn(north), await homesIn(south)];
  expect(homes.map(({ length }) => length > 0)).toEqual([true, true]);
  expect(homes.flat().toSorted()).toEqual(players.toSorted());
  for (const playerId of players) await feed(playerId, 'first-meal');

  await north.server.kill();
  south.clock.advance(4 * HOUR_MS);
  await south.kibble.runDue();
  const [lost = [], left = []] = homes;
  expect(await fedIn(south)).toEqual(left.toSorted());
  for (const playerId of left) await feed(playerId, 'second-meal');
  await expect(north.pool.query('select')).rejects.toThrow();

  await north.server.restart();
  north.clock.advance(4 * HOUR_MS);
  await north.kibble.runDue();
  expect(await fedIn(north)).toEqual(lost.toSorted());
});

it('takes a player’s token in its own cell alone', async () => {
  const { cell, token } = await signIn('ann');
  const [other = ''] = NAMES.filter((name) => name !== cell);

  expect(await cellNamed(cell).tokens.verify(token)).toMatchObject({ sub: 'ann' });
  await expect(cellNamed(other).tokens.verify(token)).rejects.toMatchObject({ code: 'auth/refused' });
});
