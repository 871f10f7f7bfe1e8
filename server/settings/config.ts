// The only reader of the environment. All other code gets its settings as arguments.
import type { z } from 'zod';
import { CommandEnvironment, Environment } from './config-environment.ts';
import { faultsBetweenSettings } from './config-rules.ts';

/** Every setting of the server, checked. Frozen. Durations in ms unless named otherwise. */
export type Config = Readonly<z.output<typeof Environment>>;

/** One line per fault: the variable, what is wrong, what to do. It repeats no value, which may be a secret. */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`Kibble cannot start with these settings:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

/** The settings of the command `kibble`: the address of a server or database. */
export type CommandSettings = Readonly<z.output<typeof CommandEnvironment>>;

/** As `readConfig`, for the command, which needs none of the server's secrets. */
export const readCommandSettings = (env: NodeJS.ProcessEnv = process.env): CommandSettings => {
  const set = setIn(env);
  const parsed = CommandEnvironment.safeParse(set);
  if (!parsed.success) throw new ConfigError(parsed.error.issues.map(describe));
  return Object.freeze(parsed.data);
};

/** Reads the settings (DESIGN, section 6). Empty values count as unset. Throws `ConfigError` with all faults at once. */
export const readConfig = (env: NodeJS.ProcessEnv = process.env): Config => {
  const set = setIn(env);
  const parsed = Environment.safeParse(set);
  const ownFaults = parsed.success ? [] : parsed.error.issues.map(describe);
  const faults = [...ownFaults, ...faultsBetweenSettings(set)];
  if (!parsed.success || faults.length > 0) throw new ConfigError(faults);
  return Object.freeze(parsed.data);
};

/** The variables that are set. `REDIS_URI`, Colyseus' name, replaces a missing `REDIS_URL`. */
const setIn = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== ''));
  return set.REDIS_URI === undefined ? set : { REDIS_URL: set.REDIS_URI, ...set };
};

const describe = (issue: z.core.$ZodIssue): string => `${String(issue.path[0])}: ${issue.message}`;

/**
 * Bounds that operators need not set: batches, queues, pages and waits.
 * @public
 */
export const limits = {
  writePath: {
    batchSize: 256,
    parallelBatches: 4,
    parallelFires: 2,
    firesPerBatch: 96,
    waitingPerPlayer: 64,
    waitingTotal: 20_000,
    eventsPerHome: 1_000,
    eventsPerBatch: 5_000,
  },
  events: { pageMax: 500, pageBytes: 262_144, joinMax: 200, joinBytes: 65_536 },
  http: {
    /** Bytes of: a WebSocket frame, the body of a sign-in or join, any other body, all headers, the URL. */
    maxPayload: 4096,
    playerBody: 4096,
    anyBody: 2_000_000,
    headerBytes: 8_192,
    urlBytes: 4_096,
    /** How long a client may take for the headers, and for the whole request. */
    headersMs: 10_000,
    requestMs: 15_000,
    connections: 20_000,
    connectionsPerAddress: 2_000,
    socketsPerAddress: 1_000,
  },
  rooms: {
    /** Homes with clients in one process. */
    rooms: 12_000,
    devicesPerPlayer: 16,
    /** How long a client may take to acknowledge its join. */
    joinMs: 10_000,
    /** The most bytes that wait for a client that does not read. */
    unreadBytes: 1_048_576,
    /** For one connection; a client that sends more is disconnected. */
    framesPerSecond: 150,
  },
  /** For a game's own rooms; their own messages count, too. A room's own bound of frames comes first. */
  gameRooms: { joinMs: 10_000, framesPerSecond: 500 },
  rates: {
    messagesPerPlayer: { count: 120, perMs: 4_000 },
    joinsPerPlayer: { count: 120, perMs: 60_000 },
    requestsPerAddress: { count: 6_000, perMs: 60_000 },
    joinsPerAddress: { count: 1_200, perMs: 60_000 },
    guestsPerAddress: { count: 600, perMs: 60_000 },
    badTokensPerAddress: { count: 60, perMs: 60_000 },
    wrongOpsTokensPerAddress: { count: 10, perMs: 60_000 },
    /** The number of counters that all addresses share. */
    counters: 16_384,
  },
  /** Fits an operator's list of ten thousand players. */
  ops: { maxBody: 2_000_000 },
  consumers: { batch: 200 },
  timers: { batch: 500 },
  /** For batches of a hundred players with a past. */
  seed: { statementMs: 60_000, lockMs: 10_000, idleInTransactionMs: 60_000 },
  transaction: { statementMs: 3_000, lockMs: 1_000, idleInTransactionMs: 2_000 },
  /** `queryMs` is longer than the statement's own time-out: it is for a network that became silent. */
  postgres: { connectMs: 5_000, keepAliveMs: 10_000, queryMs: 5_000 },
  /** While migrating: the wait for a table in use, and for a process that has the lock and is silent. */
  migration: { lockMs: 10_000, idleInTransactionMs: 60_000 },
} as const;
