import { setTimeout as pass } from 'node:timers/promises';
import { Client } from 'pg';
import { expect, inject, it, onTestFinished } from 'vitest';
import type { OpsIndex } from '../../../shared/ops/ops-answers.ts';
import { timed, tries } from '../../proof/table/tries.ts';
import { migratedDatabase } from '../../support/postgres/home-database.ts';
import { insertTimers } from '../../support/postgres/timer-database.ts';
import { prove } from '../../support/properties/prove.ts';
import { startRedis } from '../../support/redis/redis-server.ts';
import { OPS_TOKEN, startNode } from '../world/node.ts';

/** `npm test` starts servers again often enough; how many timers they have there says nothing. */
const TIMERS = tries({ test: 0, proof: 100_000 });
const ARMED_MS = timed(3_000);
const GIVEN_UP_MS = 30_000;
const LOOK_EVERY_MS = 10;

/** A server that was killed with so many timers before it, started again: how long after its start the index had all. */
const armedAfterMs = async (redisUrl: string | undefined, loseIndex: () => Promise<unknown>): Promise<number> => {
  const { url, drop } = await migratedDatabase(inject('postgresUrl'));
  onTestFinished(drop);
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(
    insertTimers(`select 'reminder', 'order-' || n, 'player-' || n % 10000,
      (extract(epoch from now()) * 1000)::bigint + 3600000 + n from generate_series(1, ${TIMERS}) n`),
  );
  await client.end();
  const node = await startNode('all-1', 'all', {
    DATABASE_URL: url,
    ...(redisUrl && { REDIS_URL: redisUrl }),
    JWT_SECRET: 'k7Qz1v9XbT4mR8wLcY2nPdF6sJhA3gUe',
    OPS_TOKENS: `op:admin:${OPS_TOKEN}`,
    HOST: '127.0.0.1',
  });
  onTestFinished(() => node.kill());
  await armed(node.address);
  await node.kill();
  await loseIndex();
  const startedAtMs = performance.now();
  await node.restart();
  await armed(node.address);
  return performance.now() - startedAtMs;
};

/** Resolves when the index of the server is whole and has all timers. Throws after 30 s. */
const armed = async (address: string): Promise<void> => {
  const readyAtMs = performance.now();
  for (;;) {
    const { isWhole, inside } = await indexOf(address);
    const entries = inside?.counts.reduce((sum, count) => sum + count, 0);
    const tookMs = performance.now() - readyAtMs;
    if (isWhole && entries === TIMERS) return;
    if (tookMs > GIVEN_UP_MS) throw new Error(`${entries} of ${TIMERS} timers are armed after ${tookMs} ms`);
    await pass(LOOK_EVERY_MS);
  }
};

const indexOf = async (address: string): Promise<OpsIndex> => {
  const response = await fetch(`${address}/ops/api/index`, { headers: { authorization: `Bearer ${OPS_TOKEN}` } });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as OpsIndex;
};

it.skipIf(TIMERS === 0)(
  'a server that was killed has armed all timers within 3 s of its start, on the wheel',
  async (context) => {
    const tookMs = await armedAfterMs(undefined, async () => undefined);
    expect(tookMs).toBeLessThanOrEqual(ARMED_MS);
    proveArmed(context, `on the wheel ${Math.round(tookMs)} ms after its start`);
  },
  60_000,
);

it.skipIf(TIMERS === 0 || inject('redisUrl') === '')(
  'a server that was killed has armed all timers within 3 s of its start, on a Redis that has lost them',
  { timeout: 60_000 },
  async (context) => {
    const redis = await startRedis();
    onTestFinished(() => redis.stop());
    const tookMs = await armedAfterMs(redis.url, async () => {
      await redis.kill();
      await redis.restart();
    });
    expect(tookMs).toBeLessThanOrEqual(ARMED_MS);
    proveArmed(context, `on an empty Redis ${Math.round(tookMs)} ms after its start`);
  },
);

const proveArmed = (context: Parameters<typeof prove>[0], seen: string): void =>
  prove(context, {
    row: 13,
    tries: TIMERS,
    of: 'timers armed again within 3 s',
    seen: `${TIMERS} timers armed ${seen}`,
  });
