import { readFileSync } from 'node:fs';
import type { Pool } from 'pg';
import { inject } from 'vitest';
import { type ServerProcess, startServer } from '../../../examples/support/server-process.ts';
import { createPool } from '../../../server/adapter/postgres/pool.ts';
import { createTokens, type Tokens } from '../../../server/room/tokens.ts';
import { silentLog } from '../../support/log/logs.ts';
import { migratedDatabase } from '../../support/postgres/home-database.ts';

/** The secrets of the servers under attack; no log and no answer may ever hold them. */
export const SECRETS = {
  JWT_SECRET: 'k7Qz1v9XbT4mR8wLcY2nPdF6sJhA3gUe',
  OPS_TOKENS: 'op:admin:Zx81kQmW4vTn7LrB2yHcD5sJ',
};

export interface Victim {
  readonly address: string;
  readonly server: ServerProcess;
  readonly pool: Pool;
  readonly tokens: Tokens;
  /** Memory of the process in MB. Undefined where the system does not tell. */
  rssMb(): number | undefined;
  close(): Promise<void>;
}

/** The reference server as its own process, behind one proxy with a trusted `X-Forwarded-For`. */
export const startVictim = async (settings: Readonly<Record<string, string>> = {}): Promise<Victim> => {
  const database = await migratedDatabase(inject('postgresUrl'));
  const server = await startServer({
    PORT: '0',
    HOST: '127.0.0.1',
    DATABASE_URL: database.url,
    TRUST_PROXY: '1',
    ...SECRETS,
    ...settings,
  });
  const pool = createPool({ url: database.url, max: 4, log: silentLog });
  return {
    server,
    pool,
    address: server.address,
    tokens: createTokens({ jwtSecret: SECRETS.JWT_SECRET }, () => 'nobody'),
    rssMb: () => rssOf(server.pid),
    close: async () => {
      await server.stop();
      await pool.end();
      await database.drop();
    },
  };
};

const rssOf = (pid: number): number | undefined => {
  try {
    const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
  } catch {
    return undefined;
  }
};

/** More runs, if there is time: `FUZZ_SCALE=50`. */
export const scaled = (count: number): number => Math.round(count * Number(process.env.FUZZ_SCALE ?? 1));

/** Runs so many at a time, until all are done. The first that fails ends all. */
export const sideBySide = async (count: number, width: number, act: (at: number) => Promise<void>): Promise<void> => {
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let at = next++; at < count; at = next++) await act(at);
  };
  await Promise.all(Array.from({ length: width }, lane));
};
