import { Cluster, type Redis } from 'ioredis';
import type { Clock } from '../../../runtime/clock.ts';
import { IndexUnavailable } from '../../../timer/index/due-index.ts';
import { Availability } from './availability.ts';
import { checkRedis } from './check-redis.ts';
import { clusterOf, connectOnce } from './redis-client.ts';
import { mayPass, type RedisTrouble, RedisUnfit, troubleOf } from './redis-trouble.ts';

interface Dependencies {
  readonly client: Redis | Cluster;
  readonly clock: Clock;
  /** Hears of each trouble, again and again while it lasts, and that there is none any more. */
  readonly report: ((trouble: RedisTrouble | undefined) => void) | undefined;
  /** Opens whatever else has to be open at the start. */
  readonly connect: () => Promise<void>;
  /** Writes something, on each node of a Cluster: that shows whether there is memory, and whether it is a master. */
  readonly probe: () => Promise<unknown>;
  /** Which key says whose timers these are. */
  readonly deploymentKey: string;
}

/** What stands between the index and Redis: whether it can be used, and what is wrong when not. */
export class RedisLink {
  readonly #dependencies: Dependencies;
  readonly #availability: Availability;
  /** Who is asked: the client, or the Cluster that its one address turned out to be of. */
  #asked: Redis | Cluster;
  /** Why there is no connection; commands say only that there is none. */
  #connectionError: Error | undefined;
  #deployment: string | undefined;
  /** Behind each connection may be another Redis: none is used before it was looked at. */
  #isExamined = false;
  #connections = 0;

  constructor(dependencies: Dependencies) {
    const { client, clock, report } = dependencies;
    this.#dependencies = dependencies;
    const examine = (): Promise<void> =>
      this.#examine().catch((error: unknown) => {
        throw this.#reasonOf(error);
      });
    this.#availability = new Availability({ clock, report, examine });
    this.#asked = client;
    this.#listenTo(client);
  }

  #listenTo(client: Redis | Cluster): void {
    const failed = (error: Error): void => {
      // A Cluster's nodes say so once more after they have said why.
      if (error.message !== 'Connection is closed.') this.#connectionError = error;
    };
    client.on(client instanceof Cluster ? 'node error' : 'error', failed);
    client.on('ready', () => {
      this.#connectionError = undefined;
    });
    client.on('close', () => {
      if (client !== this.#asked) return;
      this.#isExamined = false;
      this.#connections += 1;
      this.#availability.lost(this.#reasonOf(new Error('the connection is closed')));
    });
  }

  get isAvailable(): boolean {
    return this.#availability.isAvailable;
  }

  /** Undefined while all is well. */
  get trouble(): RedisTrouble | undefined {
    return this.#availability.trouble;
  }

  /** See `RedisDueIndex.start`. */
  async start(deployment: string | undefined): Promise<void> {
    const { client, connect } = this.#dependencies;
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
    this.#asked.disconnect();
  }

  /** Throws `IndexUnavailable`. */
  async ask<T>(command: () => Promise<T>): Promise<T> {
    if (!this.#isExamined) throw new IndexUnavailable(new Error('Redis is away, or was not looked at yet'));
    try {
      return await command();
    } catch (error) {
      this.#availability.lost(this.#reasonOf(error));
      throw new IndexUnavailable(error);
    }
  }

  /** Looks whether it can be used: throws when not. */
  async #examine(): Promise<void> {
    const { client, probe, deploymentKey: key } = this.#dependencies;
    const connections = this.#connections;
    if (await checkRedis(this.#asked)) await this.#useCluster(client as Redis);
    const deployment = this.#deployment;
    if (deployment !== undefined) await claimIndex(client, key, deployment);
    await probe();
    if (connections !== this.#connections) throw new Error('the connection was lost while Redis was looked at');
    this.#isExamined = true;
    this.#connectionError = undefined;
  }

  /** Whoever has the client asks all nodes of the Cluster from now on: its commands and scripts go that way alone. */
  async #useCluster(node: Redis): Promise<void> {
    const cluster = clusterOf(node);
    this.#asked = cluster;
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
 * Says whose index the keys of a prefix are; the first database that comes has them. Two databases in one index would
 * hand off, and forget, each other's timers. Throws `RedisUnfit` when they are another one's.
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
