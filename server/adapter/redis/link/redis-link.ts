import { Cluster, type Redis } from 'ioredis';
import type { Clock } from '../../../runtime/clock.ts';
import { IndexUnavailable } from '../../../timer/index/due-index.ts';
import { clusterOf, connectOnce } from './redis-client.ts';
import { checkRedis, mayPass, type RedisTrouble, RedisUnfit, troubleOf } from './redis-trouble.ts';

interface Dependencies {
  readonly client: Redis | Cluster;
  readonly clock: Clock;
  /** Called with each trouble, repeatedly while it lasts, and with undefined when it is over. */
  readonly report: ((trouble: RedisTrouble | undefined) => void) | undefined;
  /** Opens the other connections at the start. */
  readonly connect: () => Promise<void>;
  /**
   * Writes on each node of a Cluster, which shows whether the node has memory and is a master; `isWhole`: with each
   * command that the index needs, because a command failed.
   */
  readonly probe: (isWhole: boolean) => Promise<unknown>;
  /** The key with the name of the timers' deployment. */
  readonly deploymentKey: string;
}

/** The index's access to Redis: whether it is usable, and if not, why. */
export class RedisLink {
  readonly #on: Dependencies;
  readonly #availability: Availability;
  /** The client, or the Cluster if its one address is a node of one. */
  #server: Redis | Cluster;
  /** Why there is no connection; errors of commands do not say it. */
  #connectionError: Error | undefined;
  #deployment: string | undefined;
  /** Each new connection may lead to another Redis, so none is used before it was checked. */
  #isExamined = false;
  #connections = 0;
  /** A command has failed since the last check. */
  #hasFailed = false;

  constructor(dependencies: Dependencies) {
    this.#on = dependencies;
    const { client, clock, report } = dependencies;
    const examine = (): Promise<void> =>
      this.#examine().catch((error: unknown) => {
        throw this.#reasonOf(error);
      });
    this.#availability = new Availability({ clock, report, examine });
    this.#server = client;
    this.#listenTo(client);
  }

  #listenTo(client: Redis | Cluster): void {
    const failed = (error: Error): void => {
      // A Cluster's nodes report this again after the real reason.
      if (error.message !== 'Connection is closed.') this.#connectionError = error;
    };
    client.on(client instanceof Cluster ? 'node error' : 'error', failed);
    client.on('ready', () => {
      this.#connectionError = undefined;
    });
    client.on('close', () => {
      if (client !== this.#server) return;
      this.#isExamined = false;
      this.#connections += 1;
      this.#availability.lost(this.#reasonOf(new Error('the connection is closed')));
    });
  }

  get isAvailable(): boolean {
    return this.#availability.isAvailable;
  }

  /** Undefined if all is well. */
  get trouble(): RedisTrouble | undefined {
    return this.#availability.trouble;
  }

  /** See `RedisDueIndex.start`. */
  async start(deployment: string | undefined): Promise<void> {
    const { client, connect } = this.#on;
    this.#deployment = deployment;
    try {
      await Promise.all([connectOnce(client), connect()]);
      await this.#examine();
      this.#availability.found();
    } catch (error) {
      const reason = this.#reasonOf(error);
      const trouble = troubleOf(reason);
      if (!mayPass(trouble)) throw new RedisUnfit(trouble, error);
      this.#availability.lost(reason);
    }
  }

  stop(): void {
    this.#availability.stop();
    this.#server.disconnect();
  }

  /** Throws `IndexUnavailable`. */
  async ask<T>(command: () => Promise<T>): Promise<T> {
    if (!this.#isExamined) throw new IndexUnavailable(new Error('Redis is away, or was not examined yet'));
    try {
      return await command();
    } catch (error) {
      this.#hasFailed = true;
      this.#availability.lost(this.#reasonOf(error));
      throw new IndexUnavailable(error);
    }
  }

  /** Checks the connection. Throws if it cannot be used. */
  async #examine(): Promise<void> {
    const { client, probe, deploymentKey: key } = this.#on;
    const connections = this.#connections;
    if (await checkRedis(this.#server)) await this.#useCluster(client as Redis);
    const deployment = this.#deployment;
    if (deployment !== undefined) await claimIndex(client, key, deployment);
    await probe(this.#hasFailed);
    if (connections !== this.#connections) throw new Error('the connection was lost while Redis was examined');
    this.#isExamined = true;
    this.#hasFailed = false;
    this.#connectionError = undefined;
  }

  /** From now on the client's commands and scripts go to all nodes of the Cluster. */
  async #useCluster(node: Redis): Promise<void> {
    const cluster = clusterOf(node);
    this.#server = cluster;
    this.#listenTo(cluster);
    node.sendCommand = (command) => cluster.sendCommand(command);
    node.disconnect();
    await cluster.connect();
    await checkRedis(cluster);
  }

  #reasonOf(error: unknown): unknown {
    const isReply = error instanceof RedisUnfit || (error instanceof Error && error.name === 'ReplyError');
    return isReply ? error : (this.#connectionError ?? error);
  }
}

/**
 * Claims the keys of a prefix for a database; the first one gets them. Two databases in one index would hand off, and
 * delete, each other's timers. Throws `RedisUnfit` if another database has them.
 */
const claimIndex = async (client: Redis | Cluster, key: string, deployment: string): Promise<void> => {
  const holder = (await client.get(key)) ?? (await client.set(key, deployment, 'NX', 'GET')) ?? deployment;
  if (holder === deployment) return;
  throw new RedisUnfit({
    code: 'redis/shared',
    message:
      'the keys of this prefix in this Redis are the index of another database: give a prefix of its own (redisPrefix, REDIS_PREFIX); ' +
      `or, if this database took the place of that one (restored from a backup), delete the key ${key} (redis-cli DEL '${key}'), and the index is made anew`,
  });
};

const CHECK_EVERY_MS = 250;
/** While all is well: finds changes that make no command fail, such as a changed setting. */
const RECHECK_EVERY_MS = 5_000;

interface Checks {
  readonly clock: Clock;
  /** Rejects while the server is away or must not be used. */
  readonly examine: () => Promise<void>;
  /** Called after each check, and each loss. */
  readonly report?: ((trouble: RedisTrouble | undefined) => void) | undefined;
}

/**
 * Whether a server can be used. One failed command makes it unusable. Only a complete check makes it usable again: when
 * memory is short, some commands work and others fail, and the state would alternate.
 */
export class Availability {
  readonly #on: Checks;
  #isAvailable = false;
  #trouble: RedisTrouble | undefined;
  #isChecking = false;
  #cancelCheck: (() => void) | undefined;
  #isStopped = false;

  constructor(checks: Checks) {
    this.#on = checks;
  }

  get isAvailable(): boolean {
    return this.#isAvailable;
  }

  /** Undefined if all is well. */
  get trouble(): RedisTrouble | undefined {
    return this.#trouble;
  }

  /** A check succeeded. */
  found(): void {
    this.#set(true, undefined);
    this.#checkAfter(RECHECK_EVERY_MS);
  }

  /** A command or a check failed. */
  lost(error: unknown): void {
    const isNews = this.#isAvailable;
    this.#set(false, troubleOf(error));
    // After a single slow reply the link is usable again at once.
    if (isNews || this.#cancelCheck === undefined) this.#checkAfter(isNews ? 0 : CHECK_EVERY_MS);
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelCheck?.();
  }

  #set(isAvailable: boolean, trouble: RedisTrouble | undefined): void {
    this.#isAvailable = isAvailable;
    this.#trouble = trouble;
    if (!this.#isStopped) this.#on.report?.(trouble);
  }

  #checkAfter(delayMs: number): void {
    this.#cancelCheck?.();
    if (this.#isStopped || this.#isChecking) return;
    this.#cancelCheck = this.#on.clock.after(delayMs, () => {
      this.#cancelCheck = undefined;
      void this.#check();
    });
  }

  async #check(): Promise<void> {
    this.#isChecking = true;
    const conclude = await this.#on.examine().then(
      () => () => this.found(),
      (error: unknown) => () => this.lost(error),
    );
    this.#isChecking = false;
    conclude();
  }
}
