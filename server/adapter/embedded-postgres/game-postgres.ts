import path from 'node:path';
import { type EmbeddedPostgres, startEmbedded } from './embedded.ts';
import { EmbeddedError } from './embedded-error.ts';
import { freePort, runningPostmaster } from './postmaster.ts';

type Options = Omit<Parameters<typeof startEmbedded>[0], 'settings'> & {
  /** Of 127.0.0.1. Default: any free one. One that a killed process left running on the folder keeps its own. */
  readonly port?: number;
};

/** The Postgres of a game's tests, and of its first day. Throws `EmbeddedError`. */
export const startForGame = async ({ port, ...options }: Options): Promise<EmbeddedPostgres> => {
  const isRunning = runningPostmaster(path.resolve(options.dataDir, 'postgres')) !== undefined;
  if (port !== undefined && !isRunning) await freePort(port).catch(refuse(port));
  // Its user is called like Kibble's schema: by default Kibble's tables would hide the game's of the same name.
  const settings = { search_path: 'public', ...(port !== undefined && { port: String(port) }) };
  return startEmbedded({ ...options, settings });
};

const refuse =
  (port: number) =>
  (cause: unknown): never => {
    throw new EmbeddedError(
      'embedded/port-in-use',
      `Port ${port} of 127.0.0.1 cannot be used (${cause instanceof Error ? cause.message : cause}): end what listens there, or choose another port.`,
      cause,
    );
  };
