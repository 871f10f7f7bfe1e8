import { inject } from 'vitest';
import { type ServerProcess, startServer } from '../../examples/support/server-process.ts';
import { migratedDatabase } from '../support/postgres/home-database.ts';

const OPERATOR = 'Pd6sJhA3gUe9zX5vK1qWx81k';

/** The reference server with its pages, on a database of the run's Postgres: one of its own takes seconds to make. */
export const startPageServer = async (
  settings: Readonly<Record<string, string>>,
): Promise<Pick<ServerProcess, 'address' | 'kill'>> => {
  const database = await migratedDatabase(inject('postgresUrl'));
  const { address, kill } = await startServer({
    PORT: '0',
    HOST: '127.0.0.1',
    DATABASE_URL: database.url,
    JWT_SECRET: 'k7Qz1v9XbT4mR8wLcY2nPdF6sJhA3gUe',
    OPS_TOKENS: `op:admin:${OPERATOR}`,
    ...settings,
  });
  return {
    address,
    kill: async () => {
      await kill();
      await database.drop();
    },
  };
};

export const freeze = async (address: string, playerId: string): Promise<void> => {
  const { status } = await fetch(new URL(`/ops/api/players/${encodeURIComponent(playerId)}/freeze`, address), {
    method: 'POST',
    headers: { authorization: `Bearer ${OPERATOR}`, 'content-type': 'application/json' },
    body: JSON.stringify({ commandId: `freeze-${Date.now()}`, reason: 'looks like a bot' }),
  });
  if (status !== 200) throw new Error(`the freeze of ${playerId} was answered with ${status}`);
};
