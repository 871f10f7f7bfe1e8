import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startEmbedded } from '../server/adapter/embedded-postgres/embedded.ts';

export interface TestDatabase {
  /** `postgres://...` of an empty database, for a `pg.Pool`. */
  readonly url: string;
  /** Ends all sessions and removes the data. End your pools before it. */
  stop(): Promise<void>;
}

/**
 * A Postgres for a game's own tests, without Docker and without an installation: it starts in about a second, and its data
 * go when it stops. Start one a run; tests side by side take another `schema` each. The programs come from the package
 * `embedded-postgres` (60 MB), a development dependency of the game. Throws an error with a `code` (`embedded/unsupported`
 * where that package is missing, or has no programs for this platform) and with what to do.
 */
export const startTestDatabase = async (): Promise<TestDatabase> => {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), `kibble-test-${process.pid}-`));
  const remove = (): void => rmSync(dataDir, { recursive: true, force: true });
  try {
    // Its user is called like Kibble's schema: by default Kibble's tables would hide the game's of the same name.
    const settings = { search_path: 'public' };
    const postgres = await startEmbedded({ dataDir, isDurable: false, settings });
    const stop = async (): Promise<void> => {
      await postgres.stop();
      remove();
    };
    return { url: postgres.url, stop };
  } catch (error) {
    remove();
    throw error;
  }
};
