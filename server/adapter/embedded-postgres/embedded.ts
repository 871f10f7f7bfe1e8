import { randomBytes } from 'node:crypto';
import { accessSync, constants, mkdirSync } from 'node:fs';
import path from 'node:path';
import { Client } from 'pg';
import { writeOnceFile } from '../machine/write-once-file.ts';
import { accountFor } from './embedded-account.ts';
import { usableBinaries } from './embedded-binaries.ts';
import { clusterUser, ensureCluster } from './embedded-cluster.ts';
import { EmbeddedError } from './embedded-error.ts';
import { nextLook, type Postmaster, runningPostmaster, startPostmaster, stopPostmaster } from './postmaster.ts';
import { Starts } from './starts.ts';
import { startWatchdog } from './watchdog.ts';
import { type Owned, WatchedPostgres } from './watched-postgres.ts';

export interface EmbeddedPostgres {
  /** `postgres://` with the password: a secret. */
  readonly url: string;
  /** Ends all sessions, writes all data to disk and waits for the process. May be called twice. */
  stop(): Promise<void>;
}

interface Options {
  /** The folder with the cluster (`postgres/`), its password (0600) and its log. Made if missing. */
  readonly dataDir: string;
  readonly log?: (line: string) => void;
  /** False in tests, which may lose their data with the machine: no fsync. Default true. */
  readonly isDurable?: boolean;
  /** Server settings of the caller; they override ours. */
  readonly settings?: Readonly<Record<string, string>>;
  /** If given, a Postgres that ends by itself is started again; called when it does not stay up. */
  readonly onLost?: (error: unknown) => void;
  /** For tests: how long Postgres outlives a killed server. */
  readonly abandonedAfterMs?: number;
}

/** A start waits about 2 s, in so many polls, for a server on the same folder that is ending. */
const pollsBeforeTakeover = 100;
/** After a crash Postgres replays its log first, which may take long: waits at least 60 s. */
const startLooks = 6_000;
/** Any two numbers, the same in every Kibble. The lock is in the database `postgres`, where no other program takes locks. */
const ownerLock = '7105, 1';

/**
 * Starts the Postgres that comes with Kibble, or goes on with the one that a killed Kibble left running.
 *
 * A data folder has one owner at a time: the process with an advisory lock in the cluster itself, on a connection that
 * stays open until `stop`. The lock ends with its process, however that ends. A second start is refused with
 * `embedded/in-use`, so no process ever stops a Postgres that another server uses.
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

  // Before Postgres itself, so that from its first moment a process exists that will end it.
  const watchdog = startWatchdog(dataDir, options.abandonedAfterMs);
  try {
    const own = (port?: number): Promise<Owned> =>
      connectAsOwner({ clusterDir, dataDir, logFile, log, start: startOn(port), urlOf });
    const owned = await own();
    const { onLost } = options;
    const watched = onLost && new WatchedPostgres(owned, { own, log, onLost });
    const stop = async (): Promise<void> => {
      await watched?.unwatch();
      // After a restart it is another process.
      await stopPostmaster(clusterDir, runningPostmaster(clusterDir) ?? owned.postmaster);
      watchdog.dismiss();
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
    watchdog.dismiss();
    throw error;
  }
};

const withoutSync = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/** Letters and digits only, so it needs no escaping in a URL. Also proves that the folder can be written. */
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
 * Polls, starts and connects until a connection owns the folder; that connection stays open. Another process may do the
 * same meanwhile, and an old Postgres may still be ending.
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

/** A connection; undefined while the server is not up yet or is stopping. */
const connect = async (connectionString: string): Promise<Client | undefined> => {
  const client = new Client({ connectionString, application_name: 'kibble owner', keepAlive: true });
  // The connection ends with the server; without a listener its error would end this process.
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

/** `gone`: the server ended the session, as it does when it stops. Throws if the database cannot be made. */
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

/** Class 57: the server stops, or a crash ends all sessions. Without a code the connection itself was lost. */
const isEnding = (error: unknown): boolean => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  return code === undefined || code.startsWith('57P') || code === 'ECONNRESET' || code === 'EPIPE';
};
