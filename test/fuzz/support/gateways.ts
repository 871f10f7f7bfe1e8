import type { Pool } from 'pg';
import { inject } from 'vitest';
import { startServer } from '../../../examples/support/server-process.ts';
import { createPool } from '../../../server/adapter/postgres/pool.ts';
import { createTokens } from '../../../server/room/tokens.ts';
import { silentLog } from '../../support/log/logs.ts';
import type { Signs } from '../../support/machine/raw-socket.ts';
import { migratedDatabase } from '../../support/postgres/home-database.ts';
import { startRedis } from '../../support/redis/redis-server.ts';
import { SECRETS } from './victim.ts';

export interface Gateways {
  /** Each a process of its own. */
  readonly gateways: readonly Signs[];
  readonly pool: Pool;
  close(): Promise<void>;
}

/** Gateways as processes of their own, on one database and one Redis. */
export const startGateways = async (count: number): Promise<Gateways> => {
  const [database, redis] = await Promise.all([migratedDatabase(inject('postgresUrl')), startRedis()]);
  const settings = { PORT: '0', HOST: '127.0.0.1', TRUST_PROXY: '1', ROLE: 'gateway', ...SECRETS };
  const servers = await Promise.all(
    Array.from({ length: count }, () => startServer({ ...settings, DATABASE_URL: database.url, REDIS_URL: redis.url })),
  );
  const pool = createPool({ url: database.url, max: 4, log: silentLog });
  const tokens = createTokens({ jwtSecret: SECRETS.JWT_SECRET }, () => 'nobody');
  return {
    pool,
    gateways: servers.map(({ address }) => ({ address, tokens })),
    close: async () => {
      await Promise.all(servers.map((server) => server.stop()));
      await pool.end();
      await redis.stop();
      await database.drop();
    },
  };
};
