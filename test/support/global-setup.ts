import type { TestProject } from 'vitest/node';
import { serveChromium } from './machine/chromium.ts';
import { startPostgres } from './postgres/postgres-server.ts';
import { startRedis } from './redis/redis-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The one Postgres of this run. Take `createDatabase(url)`: test files run side by side. */
    postgresUrl: string;
    /** The one Redis of this run, or '' where none could be had: tests that need it are skipped then. */
    redisUrl: string;
    /** Where `chromiumProgram` asks. */
    chromiumUrl: string;
  }
}

/** A run of some files takes no browser that they do not ask for. */
const isWholeRun = process.argv.slice(3).every((argument) => argument.startsWith('-'));

/** Starts one Postgres and one Redis for the whole run. Vitest calls what it returns at the end. */
export const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  const chromium = await serveChromium(isWholeRun);
  // Several files run at once, each with pools of its own.
  const settings = { max_connections: '400' };
  const [postgres, redis] = await Promise.all([startPostgres({ settings }), startRedis().catch(explain)]);
  project.provide('postgresUrl', postgres.url);
  project.provide('redisUrl', redis?.url ?? '');
  project.provide('chromiumUrl', chromium.url);
  return async () => {
    chromium.stop();
    await Promise.all([postgres.stop(), redis?.stop()]);
  };
};

const explain = (error: unknown): undefined => {
  process.stderr.write(`${error instanceof Error ? error.message : error}\nTests that need Redis are skipped.\n`);
};
