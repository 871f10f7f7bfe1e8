import { readFileSync } from 'node:fs';
import { type ServerProcess, startServer } from '../../examples/support/server-process.ts';
import { random } from '../../server/adapter/machine/random.ts';

/** One server with all its limits, that believes its proxy: so a single machine can come from many addresses. */
export interface VictimServer {
  readonly address: string;
  /** Signs tokens that it accepts. */
  readonly secret: string;
  /** Of its process; NaN where the system does not tell. */
  rssMb(): number;
  stop(): Promise<void>;
}

export const startVictimServer = async (databaseUrl: string): Promise<VictimServer> => {
  const secret = random.uniqueName();
  const server: ServerProcess = await startServer({
    PORT: '0',
    HOST: '127.0.0.1',
    DATABASE_URL: databaseUrl,
    TRUST_PROXY: '1',
    JWT_SECRET: secret,
    OPS_TOKENS: `bench:admin:${random.uniqueName()}`,
  });
  return {
    address: server.address,
    secret,
    rssMb: () => rssOf(server.pid),
    stop: async () => {
      await server.stop();
    },
  };
};

const rssOf = (pid: number): number => {
  try {
    const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(kilobytes) / 1_024;
  } catch {
    return Number.NaN;
  }
};
