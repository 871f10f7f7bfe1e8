import { Cluster, type Redis } from 'ioredis';
import type { Clock } from '../../../runtime/clock.ts';
import { IndexUnavailable } from '../../../timer/index/due-index.ts';
import { Availability } from './availability.ts';
import { bounded, clusterOf, connectOnce, reconnect } from './redis-client.ts';
import { checkRedis, mayPass, READ_ONLY, type RedisTrouble, RedisUnfit, troubleOf } from './redis-trouble.ts';

interface Dependencies {
  readonly client: Redis | Cluster;
  readonly clock: Clock;
  /** Called with each trouble, repeatedly while it lasts, and with undefined when it is over. */
  readonly report: ((trouble: RedisTrouble | undefined) => void) | undefined;
  /** Opens the other connections at the start. */
  readonly connect: () => Promise<void>;
  /**
   * Writes on each node of a Cluster, which shows whether the node has memory and is a master; `isWhole`: with each
   * command that the index needs, at the start and after a failed command.
   */
  readonly probe: (isWhole: boolean) => Promise<unknown>;
  /** The key with the name of the timers' deployment. */
  readonly deploymentKey: string;
}

/** Connections that are unusable for so long are replaced: a new one may lead to another server. */
const UNUSABLE_MS = 3_000;

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
  /** Whether each command of the index was allowed, and none has failed since. */
  #isProven = false;
  readonly #others: (Redis | Cluster)[] = [];
  #unusableSinceMs: number | undefined;
  /** Their close is ours, and says nothing of Redis. */
  #isReplacing = false;

  constructor(dependencies: Dependencies) {
    this.#on = dependencies;
    const { client, clock, report } = dependencies;
    const examine = (): Promise<void> =>
      this.#examine().catch((error: unknown) => {
        this.#replaceIfUnusable(error);
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
      this.#isReplacing = false;
      this.#connectionError = undefined;
    });
    client.on('close', () => {
      if (client !== this.#server) return;
      this.#isExamined = false;
      this.#connections += 1;
      if (!this.#isReplacing) this.#availability.lost(this.#reasonOf(new Error('the connection is closed')));
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
    const { client, clock, connect } = this.#on;
    this.#deployment = deployment;
    this.#availability.start();
    try {
      await bounded(clock, Promise.all([connectOnce(client), connect()]));
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

  /** These clients lead to the same server: they are replaced with the link's own. */
  replaceWith(...clients: readonly (Redis | Cluster)[]): void {
    this.#others.push(...clients);
  }

  /** Throws `IndexUnavailable`. */
  async ask<T>(command: () => Promise<T>): Promise<T> {
    if (!this.#isExamined) throw new IndexUnavailable(new Error('Redis is away, or was not examined yet'));
    try {
      return await command();
    } catch (error) {
      this.#isProven = false;
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
    await probe(!this.#isProven);
    if (connections !== this.#connections) throw new Error('the connection was lost while Redis was examined');
    this.#isExamined = true;
    this.#isProven = true;
    this.#unusableSinceMs = undefined;
    this.#connectionError = undefined;
  }

  /** From now on the client's commands and scripts go to all nodes of the Cluster. */
  async #useCluster(node: Redis): Promise<void> {
    const cluster = clusterOf(node);
    this.#server = cluster;
    this.#listenTo(cluster);
    node.sendCommand = (command) => cluster.sendCommand(command);
    node.disconnect();
    await bounded(this.#on.clock, connectOnce(cluster));
    await checkRedis(cluster);
  }

  /**
   * A dead server's connection may stay open and carry nothing, and so may that of a master that became a replica. The
   * other replies are of the right server.
   */
  #replaceIfUnusable(error: unknown): void {
    if (isReply(error) && troubleOf(error).code !== READ_ONLY.code) return;
    const nowMs = this.#on.clock.monotonicMs();
    this.#unusableSinceMs ??= nowMs;
    if (nowMs - this.#unusableSinceMs < UNUSABLE_MS) return;
    this.#unusableSinceMs = nowMs;
    this.#isReplacing = isReply(error);
    for (const client of [this.#server, ...this.#others]) reconnect(client);
  }

  #reasonOf(error: unknown): unknown {
    return isReply(error) ? error : (this.#connectionError ?? error);
  }
}

const isReply = (error: unknown): boolean =>
  error instanceof RedisUnfit || (error instanceof Error && error.name === 'ReplyError');

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
