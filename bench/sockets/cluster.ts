import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startServer } from '../../examples/support/server-process.ts';
import { random } from '../../server/adapter/machine/random.ts';

/** How long a meal takes: 400 pets and four seconds make 100 feedings a second. */
export const MEAL_MS = 4000;

const rules = {
  foods: { 'dog-food': { workMs: MEAL_MS, xp: 1 } },
  starter: { items: { 'dog-food': 100 } },
};

export interface GameCluster {
  /** Of the gateways. */
  readonly addresses: readonly string[];
  stop(): Promise<void>;
}

/** The reference server as three processes: two gateways and a worker. */
export const startCluster = async (databaseUrl: string, redisUrl: string): Promise<GameCluster> => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kibble-bench-'));
  const rulesFile = path.join(folder, 'rules.json');
  writeFileSync(rulesFile, JSON.stringify(rules));
  const start = (role: string) =>
    startServer({
      ROLE: role,
      PORT: '0',
      HOST: '127.0.0.1',
      DATABASE_URL: databaseUrl,
      REDIS_URL: redisUrl,
      REDIS_PREFIX: `bench:${path.basename(folder)}`,
      JWT_SECRET: secret,
      RULES_FILE: rulesFile,
      OPS_TOKENS: `bench:admin:${random.uniqueName()}`,
      LOG_LEVEL: 'info',
    });
  const secret = random.uniqueName();
  const servers = await Promise.all([start('worker'), start('gateway'), start('gateway')]);
  return {
    addresses: servers.slice(1).map(({ address }) => address),
    stop: async () => {
      for (const server of servers) await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
