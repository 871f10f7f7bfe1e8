import path from 'node:path';
import { type EmbeddedPostgres, startEmbedded } from './embedded.ts';
import { EmbeddedError } from './embedded-error.ts';
import { freePort, runningPostmaster } from './postmaster.ts';

/** `port` on 127.0.0.1: default any free one. A Postgres that a killed process left running on the folder retains its port. */
type Options = Omit<Parameters<typeof startEmbedded>[0], 'settings'> & { readonly port?: number };

/** The Postgres for a game's tests and first day. Throws `EmbeddedError`. */
export const startForGame = async ({ port, ...options }: Options): Promise<EmbeddedPostgres> => {
  if (port !== undefined && !runningPostmaster(path.resolve(options.dataDir, 'postgres'))) {
    await freePort(port).catch((cause: Error) => {
      const what = `Port ${port} of 127.0.0.1 cannot be used (${cause.message})`;
      throw new EmbeddedError(
        'embedded/port-in-use',
        `${what}: end what listens there, or choose another port.`,
        cause,
      );
    });
  }
  // Kibble's schema has the name of this user: by default its tables would hide the game's tables of the same name.
  const settings = { search_path: 'public', ...(port !== undefined && { port: String(port) }) };
  return startEmbedded({ ...options, settings });
};
