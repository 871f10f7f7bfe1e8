import { randomBytes } from 'node:crypto';
import { accessSync, constants, mkdirSync } from 'node:fs';
import path from 'node:path';
import { Client } from 'pg';
import { writeOnceFile } from '../machine/write-once-file.ts';
import { accountFor } from './embedded-account.ts';
import { usableBinaries } from './embedded-binaries.ts';
import { clusterUser, ensureCluster } from './embedded-cluster.ts';
import { EmbeddedError } from './embedded-error.ts';
import { startKeeper } from './keeper.ts';
import { nextLook, type Postmaster, runningPostmaster, startPostmaster, stopPostmaster } from './postmaster.ts';
import { Starts } from './starts.ts';
import { type Owned, WatchedPostgres } from './watched-postgres.ts';

export interface EmbeddedPostgres {
  /** `postgres://` with the password: a secret. */
  readonly url: string;
  /** Ends all sessions, writes everything to disk and waits for the process. May be called twice. */
  stop(): Promise<void>;
}

interface Options {
  /** The folder that holds the cluster (`postgres/`), its password (0600) and its log. Made if missing. */
  readonly dataDir: string;
  readonly log?: (line: string) => void;
  /** False in tests whose data may be lost with the machine: no fsync. Default true. */
  readonly isDurable?: boolean;
  /** Server settings of the caller, over ours. */
  readonly settings?: Readonly<Record<string, string>>;
  /** With it Postgres is started again when it ends by itself; called when it does not stay up. */
  readonly onLost?: (error: unknown) => void;
  /** For tests: how long Postgres outlives a killed server. */
  readonly abandonedAfterMs?: number;
}

/** So often a start looks again for a server on the same folder that is just ending: about 2 s. */
const pollsBeforeTakeover = 100;
/** Recovery after a crash replays the log first, and a large one takes a while: at least 60 s. */
const startLooks = 6_000;
/** Any two numbers, the same in every Kibble. Taken in the database `postgres`, where nobody else takes locks. */
const ownerLock = '7105, 1';

/**
 * Starts the Postgres that comes with Kibble, or goes on with the one that a killed Kibble left running.
 *
 * A data folder has one owner at a time: the process that holds an advisory lock in the cluster itself, on a connection kept
 * open until `stop`. The lock dies with its process, however it dies. A second start is refused with
 * `embedded/in-use`, so nobody ever stops a Postgres that another server is using.
 *
 * Throws `EmbeddedError`.
 */
export const startEmbedded = async (options: Options): Promise<EmbeddedPostgres> => {
  const { log = () => {}, isDurable = true } = options;
  const dataDir = path.resolve(options.dataDir);
  const clusterDir = path.join(dataDir, 'postgres');
  const logFile = path.join(dataDir, 'postgres.log');
  const password = preparePassword(dataDir);
  const account = accountFor(clusterDir);
  const binaries = usableBinaries(dataDir, account, log);
  ensureCluster({ clusterDir, binaries, account, password, isDurable });

  const settings = { ...(isDurable ? {} : withoutSync), ...options.settings };
  const startOn = (port?: number) => (): Promise<Postmaster> =>
    startPostmaster({
      ...{ clusterDir, logFile, binaries, account },
      settings: port === undefined ? settings : { ...settings, port: String(port) },
    });
  const urlOf = ({ port }: Postmaster, database: string): string =>
    `postgres://${clusterUser}:${password}@127.0.0.1:${port}/${database}`;

  // Before Postgres itself: from its first moment on there is a process that will end it.
  const keeper = startKeeper(dataDir, options.abandonedAfterMs);
  try {
    const own = (port?: number): Promise<Owned> =>
      connectAsOwner({ clusterDir, dataDir, logFile, log, start: startOn(port), urlOf });
    const owned = await own();
    const { onLost } = options;
    const watched = onLost && new WatchedPostgres(owned, { own, log, onLost });
    const stop = async (): Promise<void> => {
      await watched?.unwatch();
      // Another process by now, if it was started again.
      await stopPostmaster(clusterDir, runningPostmaster(clusterDir) ?? owned.postmaster);
      keeper.dismiss();
    };
    let stopping: Promise<void> | undefined;
    return {
      url: urlOf(owned.postmaster, clusterUser),
      stop: () => {
        stopping ??= stop();
        return stopping;
      },
    };
  } catch (error) {
    keeper.dismiss();
    throw error;
  }
};

const withoutSync = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/** Letters and digits only, so that it needs no escaping in a URL. Also shows that the folder can be written. */
const preparePassword = (dataDir: string): string => {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    accessSync(dataDir, constants.W_OK | constants.X_OK);
    return writeOnceFile(path.join(dataDir, 'postgres-password'), () => randomBytes(24).toString('hex'));
  } catch (cause) {
    throw new EmbeddedError(
      'embedded/not-writable',
      `The data folder ${dataDir} cannot be used (${cause instanceof Error ? cause.message : cause}): give this user write access, or set DATA_DIR to another folder.`,
      cause,
    );
  }
};

interface Start {
  readonly clusterDir: string;
  readonly dataDir: string;
  readonly logFile: string;
  log(line: string): void;
  start(): Promise<Postmaster>;
  urlOf(postmaster: Postmaster, database: string): string;
}

/**
 * Looks, starts and connects until a connection owns the folder; the connection stays open. Another starter may be doing
 * the same, and an old Postgres may still be ending.
 */
const connectAsOwner = async (given: Start): Promise<Owned> => {
  const starts = new Starts(given);
  let refusals = 0;
  for (let looks = 0; looks < startLooks && !starts.isHopeless; looks += 1) {
    const running = runningPostmaster(given.clusterDir);
    if (running === undefined) await starts.again();
    const owner = running && (await connect(given.urlOf(running, 'postgres')));
    if (running && owner) {
      const standing = await standingOf(owner);
      if (standing === 'owner') return { postmaster: running, owner };
      await owner.end();
      if (standing === 'refused') refusals += 1;
      if (refusals === pollsBeforeTakeover) {
        throw new EmbeddedError(
          'embedded/in-use',
          `Another Kibble server is using the data folder ${given.dataDir}: stop it first, or set DATA_DIR to another folder (several servers at once need DATABASE_URL).`,
        );
      }
    }
    await nextLook();
  }
  throw new EmbeddedError('embedded/failed', starts.complaint);
};

/** A connection, or undefined while the server is not there yet or is just going away. */
const connect = async (connectionString: string): Promise<Client | undefined> => {
  const client = new Client({ connectionString, application_name: 'kibble owner', keepAlive: true });
  // It ends with the server; without a listener that would end this process.
  client.on('error', () => {});
  try {
    await client.connect();
    return client;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === '28P01') {
      throw new EmbeddedError(
        'embedded/failed',
        'The Postgres on the data folder does not accept the password kept beside it: restore the file postgres-password, or set DATA_DIR to a new folder.',
        error,
      );
    }
    return undefined;
  }
};

/** `gone`: the server ended the session, as it does when it stops. Throws when the database cannot be made. */
const standingOf = async (owner: Client): Promise<'owner' | 'refused' | 'gone'> => {
  try {
    if (!(await claimOwnership(owner))) return 'refused';
    const { rowCount } = await owner.query('select from pg_database where datname = $1', [clusterUser]);
    if (rowCount === 0) await owner.query(`create database ${clusterUser}`);
    return 'owner';
  } catch (cause) {
    if (isEnding(cause)) return 'gone';
    await owner.end();
    throw new EmbeddedError(
      'embedded/failed',
      `The database ${clusterUser} could not be made: ${String(cause)}`,
      cause,
    );
  }
};

/** The lock lasts as long as the connection. */
export const claimOwnership = async (client: Client): Promise<boolean> => {
  const { rows } = await client.query<{ owned: boolean }>(`select pg_try_advisory_lock(${ownerLock}) as owned`);
  return rows[0]?.owned === true;
};

/** Class 57: the server shuts down, or a crash ends all sessions. Without a code the connection itself was lost. */
const isEnding = (error: unknown): boolean => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  return code === undefined || code.startsWith('57P') || code === 'ECONNRESET' || code === 'EPIPE';
};
