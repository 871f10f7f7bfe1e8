import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { Pool } from 'pg';
import { createKibble, type GameCommand, type Kibble, silent } from '../../../server/kibble.ts';
import { addOpsApi } from '../../../server/operators.ts';
import { createDatabase, startPostgres } from '../../../test/support/postgres/postgres-server.ts';
import { inUnit, type Row, type Sample } from '../../harness/row.ts';

const PLAYERS = Number(process.env.LAUNCH_PLAYERS ?? 100_000);
const QUICK_PLAYERS = 2_000;
const THINGS = 5;
/** Players that open their homes at the same time. */
const IN_FLIGHT = 64;
const PARTS = 10;
const TOKEN = 'a-token-of-the-launch-day-row';
const HOUR_MS = 3_600_000;

/** No table is ever analysed: each connection makes its plans on empty tables and retains them. */
const settings = {
  shared_buffers: '1GB',
  max_wal_size: '8GB',
  autovacuum: 'off',
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track_utility': 'off',
};

const rules = {
  foods: { feast: { workMs: 48 * HOUR_MS, xp: 10 } },
  starter: { items: { feast: THINGS, 'speed-up': THINGS } },
};

/** The pages that an operator has open on a launch day. */
const pages = [
  '/overview',
  '/timers',
  '/timers?state=completed',
  '/failed',
  '/timers/upcoming?window=24h',
  '/search?q=Rex',
];

export const launchDay: Row = {
  name: 'launch-day',
  about: `A server on an empty database whose autovacuum is off, until ${PLAYERS.toLocaleString('en')} players have ${THINGS} pets that eat, ${THINGS} cards played and a timer of an own kind; ${IN_FLIGHT} players at once. After each tenth operators look. Commands a second of the first and the last tenth; the slowest statement of the game and of the operators, by pg_stat_statements.`,
  rounds: 1,
  figures: [
    ...inUnit('/s', 'at the beginning', 'at the end'),
    { name: 'end, of the beginning', unit: 'count' },
    ...inUnit('ms', 'slowest statement', "operators' slowest"),
  ],
  targets: [
    { of: 'commands', figure: 'end, of the beginning', atLeast: 0.8 },
    { of: 'commands', figure: 'slowest statement', atMost: 200 },
    { of: 'commands', figure: "operators' slowest", atMost: 200 },
  ],
  prepare: async ({ isQuick }) => ({
    contenders: [{ name: 'commands', measure: () => measure(isQuick ? QUICK_PLAYERS : PLAYERS) }],
  }),
};

const measure = async (players: number): Promise<Sample> => {
  const postgres = await startPostgres({ durable: true, settings });
  const database = await createDatabase(postgres.url);
  const pool = new Pool({ connectionString: database.url, max: 10 });
  await pool.query('create extension pg_stat_statements');
  const kibble = createKibble({
    pool,
    rules,
    log: silent,
    playerId: ({ sub }) => sub,
    kinds: [{ kind: 'order', fire: async () => undefined }],
  });
  await kibble.lifecycle.boot();
  await pool.query('select pg_stat_statements_reset()');
  const operators = await serveOperators(kibble);
  let slowestOfGame = 0;
  let slowestOfOperators = 0;
  try {
    const rates = await launch(kibble, players, async () => {
      slowestOfGame = Math.max(slowestOfGame, await slowestSince(pool));
      await operators.look();
      slowestOfOperators = Math.max(slowestOfOperators, await slowestSince(pool));
    });
    process.stdout.write(`  ${rates.map((rate) => Math.round(rate)).join(' ')} commands a second\n`);
    const [first = 0, last = 0] = [rates[0], rates.at(-1)];
    return {
      'at the beginning': first,
      'at the end': last,
      'end, of the beginning': last / first,
      'slowest statement': slowestOfGame,
      "operators' slowest": slowestOfOperators,
    };
  } finally {
    operators.server.close();
    await kibble.lifecycle.shutdown();
    await pool.end();
    await database.drop();
    await postgres.stop();
  }
};

/** Commands a second, by tenths of the players. */
const launch = async (kibble: Kibble, players: number, onTenth: () => Promise<void>): Promise<readonly number[]> => {
  const rates: number[] = [];
  const share = players / PARTS;
  for (let part = 0; part < PARTS; part += 1) {
    let next = part * share;
    const startedAtMs = performance.now();
    const lane = async (): Promise<void> => {
      while (next < (part + 1) * share) await openHome(kibble, next++);
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
    rates.push((share * 3 * THINGS * 1000) / (performance.now() - startedAtMs));
    await onTenth();
  }
  return rates;
};

const openHome = async (kibble: Kibble, number: number): Promise<void> => {
  const playerId = `player-${number}`;
  const send = async (type: GameCommand['type'], payloadOf: (at: number) => object) => {
    const commands = Array.from({ length: THINGS }, (_, at) => ({
      playerId,
      type,
      payload: { commandId: `${type}-${at}-launch`, ...payloadOf(at) },
    }));
    const outcomes = await kibble.homes.handle(commands as GameCommand[]);
    return outcomes.map((outcome) => {
      if (!outcome.ok) throw new Error(`refused: ${JSON.stringify(outcome)}`);
      return outcome.value;
    });
  };
  const pets = await send('home:adopt', () => ({ name: 'Rex', species: 'dog' }));
  await send('home:feed', (at) => ({ petId: pets[at]?.petId, food: 'feast' }));
  await send('home:use-card', (at) => ({ petId: pets[at]?.petId, card: 'speed-up' }));
  const dueAtMs = Date.now() + HOUR_MS;
  await kibble.timers.schedule([{ kind: 'order', subject: `order-${number}`, owner: playerId, dueAtMs }]);
};

const serveOperators = async (kibble: Kibble): Promise<{ server: Server; look: () => Promise<void> }> => {
  const app = express();
  addOpsApi(app, { ops: kibble.ops, operators: [{ name: 'op', role: 'admin', token: TOKEN }] });
  const server = app.listen(0);
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const headers = { authorization: `Bearer ${TOKEN}` };
  const look = async (): Promise<void> => {
    for (const page of pages) {
      const answer = await fetch(`http://127.0.0.1:${port}/ops/api${page}`, { headers });
      if (!answer.ok) throw new Error(`${page}: ${answer.status} ${await answer.text()}`);
    }
  };
  return { server, look };
};

/** The slowest statement since the last call, in milliseconds. */
const slowestSince = async (pool: Pool): Promise<number> => {
  const { rows } = await pool.query(
    `select max_exec_time as ms, mean_exec_time as mean, calls, left(regexp_replace(query, '\\s+', ' ', 'g'), 160) as query
     from pg_stat_statements where query !~ 'pg_stat_statements' order by max_exec_time desc limit 1`,
  );
  await pool.query('select pg_stat_statements_reset()');
  const [{ ms, mean, calls, query }] = rows;
  process.stdout.write(`  ${ms.toFixed(0)} ms, mean ${mean.toFixed(2)} of ${calls}: ${query}\n`);
  return ms;
};
