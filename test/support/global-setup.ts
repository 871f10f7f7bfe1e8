import type { TestProject } from 'vitest/node';
import { startPostgres } from './postgres-server.ts';
import { startRedis } from './redis-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The one Postgres of this run. Take `createDatabase(url)`: test files run side by side. */
    postgresUrl: string;
    /** The one Redis of this run, or '' where none could be had: tests that need it are skipped then. */
    redisUrl: string;
  }
}

/** Starts one Postgres and one Redis for the whole run. Vitest calls what it answers at the end. */
export const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis().catch(explain)]);
  project.provide('postgresUrl', postgres.url);
  project.provide('redisUrl', redis?.url ?? '');
  return async () => {
    await Promise.all([postgres.stop(), redis?.stop()]);
  };
};

const explain = (error: unknown): undefined => {
  process.stderr.write(`${error instanceof Error ? error.message : error}\nTests that need Redis are skipped.\n`);
};
