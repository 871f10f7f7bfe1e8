import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { afterEach, beforeEach, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { type ServerProcess, startServer } from '../../examples/support/server-process.ts';
import { newHome } from '../../shared/home.ts';
import type { Command, HomeEvent } from '../../shared/pets/protocol.ts';
import { parseRules } from '../../shared/pets/rules-file.ts';
import { fold, judge, openHome, settle } from '../../testing/pets-engine.ts';
import { joinHome } from '../support/game/player.ts';
import { createDatabase, type TestDatabase } from '../support/postgres/postgres-server.ts';
import { startRedis } from '../support/redis/redis-server.ts';

/** A meal takes 1.5 s: time enough to kill in the middle of a chain of four. */
const rules = {
  starter: { items: { 'dog-food': 10, 'auto-feed': 3, boost: 1 } },
  foods: { 'dog-food': { workMs: 1_500, xp: 10 } },
  cards: { boost: { effect: 'rate', rate: 2, lastsMs: 900 }, 'auto-feed': { effect: 'repeat', times: 1 } },
};

let folder: string;
let database: TestDatabase;
let pool: Pool;
const servers: ServerProcess[] = [];

beforeEach(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'kibble-kill-'));
  writeFileSync(path.join(folder, 'rules.json'), JSON.stringify(rules));
  database = await createDatabase(inject('postgresUrl'));
  pool = new Pool({ connectionString: database.url });
});

afterEach(async () => {
  for (const server of servers.splice(0)) await server.kill();
  await pool.end();
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

const start = async (more: Readonly<Record<string, string>> = {}): Promise<ServerProcess> => {
  const server = await startServer({
    PORT: '0',
    DATABASE_URL: database.url,
    JWT_SECRET: 'k7Qz1v9XbT4mR8wLcY2nPdF6sJhA3gUe',
    OPS_TOKENS: 'op:admin:Zx81kQmW4vTn7LrB2yHcD5sJ',
    RULES_FILE: path.join(folder, 'rules.json'),
    ...more,
  });
  servers.push(server);
  return server;
};

/** The log that the same commands give at the same instants when nothing goes wrong, far in the future. */
const undisturbed = (log: readonly HomeEvent[], commands: readonly Command[]): readonly HomeEvent[] => {
  const parsed = parseRules(rules);
  if (!parsed.ok) throw new Error(parsed.error.join());
  const asked = log.filter((event) => event.commandId !== undefined);
  const events = [...openHome(newHome('p'), parsed.value, log[0]?.at ?? 0)];
  const playerId = (asked[0] as { petId: string }).petId.split('~')[0] ?? '';
  let home = fold(newHome(playerId), events);
  commands.forEach((command, at) => {
    const { at: nowMs = 0, commandId = '' } = asked[at] ?? {};
    const judged = judge({ catalogue: parsed.value, home, command, commandId, nowMs });
    if (!judged.decision.ok) throw new Error(judged.decision.error.code);
    events.push(...judged.settled, ...judged.decision.value);
    home = judged.home;
  });
  return [...events, ...settle(home, home.lastAtMs + 1_000_000)];
};

const fired = async (count: number): Promise<void> => {
  await vi.waitFor(
    async () => {
      const { rows } = await pool.query("select count(*)::int as n from kibble.event where type = 'feeding-completed'");
      expect(rows[0].n).toBe(count);
    },
    { timeout: 15_000, interval: 20 },
  );
};

const killInAChain = async (
  more: Readonly<Record<string, string>>,
  meanwhile: () => Promise<unknown>,
): Promise<void> => {
  const first = await start(more);
  const player = await joinHome(first.address);
  const { petId = '' } = await player.ask('home:adopt', { name: 'Rex', species: 'dog' });
  const commands: Command[] = [
    { type: 'home:adopt', name: 'Rex', species: 'dog' },
    { type: 'home:feed', petId, food: 'dog-food' },
    { type: 'home:use-card', petId, card: 'auto-feed', count: 3 },
    { type: 'home:use-card', petId, card: 'boost' },
  ];
  for (const { type, ...payload } of commands.slice(1)) await player.ask(type, payload);
  const { token } = player;
  await player.saw((event) => event.type === 'feeding-completed');
  await player.room.leave();
  await first.kill();
  const { rows } = await pool.query("select from kibble.event where type = 'feeding-completed'");
  expect(rows.length).toBeLessThan(4);
  await meanwhile();
  const second = await start(more);
  // No player is there: the timers alone bring the chain to its end.
  await fired(4);
  const back = await joinHome(second.address, { token });
  const log = await back.log();
  expect(log).toEqual(undisturbed(log, commands));
  expect(log.filter((event) => event.type === 'feeding-completed')).toHaveLength(4);
  await back.room.leave();
};

describe('killed in the middle of a chain with nobody online, and started again', () => {
  it('leaves the log of an undisturbed run on the wheel', () => killInAChain({}, async () => undefined), 60_000);

  it.skipIf(!inject('redisUrl'))(
    'leaves the log of an undisturbed run on Redis, also when that is emptied meanwhile',
    async () => {
      // One of its own: emptying the common one would disturb other tests.
      const server = await startRedis();
      const redis = new Redis(server.url);
      onTestFinished(async () => {
        redis.disconnect();
        await server.stop();
      });
      await killInAChain({ REDIS_URL: server.url }, () => redis.flushall());
    },
    60_000,
  );
});
