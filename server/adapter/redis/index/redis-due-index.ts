import type { Cluster, Redis } from 'ioredis';
import type { Clock } from '../../../runtime/clock.ts';
import type { DueIndex } from '../../../timer/index/due-index.ts';
import { RedisLink } from '../link/redis-link.ts';
import type { RedisTrouble } from '../link/redis-trouble.ts';
import { RedisDeliveryQueue } from './redis-delivery-queue.ts';
import { RedisHandOffs } from './redis-hand-offs.ts';
import { RedisInUse } from './redis-in-use.ts';
import { deploymentKeyOf, wakeChannelOf } from './redis-keys.ts';
import { RedisMarks } from './redis-marks.ts';
import { RedisOrders } from './redis-orders.ts';
import { redisScripts } from './redis-scripts.ts';
import { WakeChannel } from './wake-channel.ts';

/** Long enough to be written once. */
const PROBE_LASTS_MS = 1;

interface Dependencies {
  /** Not connected yet (`createRedisClient`); the index connects and ends the client and a duplicate of it. */
  readonly client: Redis | Cluster;
  readonly clock: Clock;
  readonly prefix: string;
  /** The number of shards until a generation is in use. */
  readonly shards: number;
  /** This process's unique name among the consumers. */
  readonly consumer: string;
  /** Called with each trouble, repeatedly while it lasts, and with undefined when it is over. */
  readonly report?: (trouble: RedisTrouble | undefined) => void;
}

/** The due index in Redis (`DueIndex`): its parts, and the connections that they share. */
export class RedisDueIndex implements DueIndex {
  readonly inUse: RedisInUse;
  readonly orders: RedisOrders;
  readonly handOffs: RedisHandOffs;
  readonly queue: RedisDeliveryQueue;
  readonly marks: RedisMarks;
  readonly #wake: WakeChannel;
  readonly #link: RedisLink;

  constructor({ client, clock, prefix, shards, consumer, report }: Dependencies) {
    const scripts = redisScripts(client);
    this.#link = new RedisLink({
      client,
      clock,
      report,
      deploymentKey: deploymentKeyOf(prefix),
      connect: () => this.#wake.connect(),
      probe: (isWhole) =>
        this.inUse.probe((keys) =>
          keys.each((shard) => {
            const key = keys.probe(shard);
            return isWhole ? scripts.probe([`${key}:whole`]) : client.set(key, '', 'PX', PROBE_LASTS_MS);
          }),
        ),
    });
    this.inUse = new RedisInUse({ prefix, shards, link: this.#link });
    const shared = { client, clock, scripts, inUse: this.inUse };
    this.orders = new RedisOrders(shared);
    this.queue = new RedisDeliveryQueue({ ...shared, consumer });
    this.handOffs = new RedisHandOffs({ ...shared, onDelivery: (shard) => this.queue.note(shard) });
    this.marks = new RedisMarks(shared);
    const listening = client.duplicate();
    this.#link.replaceWith(listening);
    this.#wake = new WakeChannel(listening, () => wakeChannelOf(this.inUse.prefix), {
      onHead: (generation, shard, score) => {
        if (this.inUse.noteGeneration(generation)) this.handOffs.noteHead(shard, score);
      },
      onDelivery: (generation, shard) => {
        if (this.inUse.noteGeneration(generation)) this.queue.note(shard);
      },
    });
  }

  get isAvailable(): boolean {
    return this.#link.isAvailable;
  }

  get trouble(): RedisTrouble | undefined {
    return this.#link.trouble;
  }

  /**
   * Connects, and claims the keys for the timers of `deployment`. A Redis that is away or out of memory is no error,
   * since it is found later; an unfit one throws `RedisUnfit`.
   */
  async start(deployment?: string): Promise<void> {
    if (deployment !== undefined) this.inUse.belongTo(deployment);
    try {
      await this.#link.start(deployment);
    } catch (error) {
      this.stop();
      throw error;
    }
  }

  /** These clients lead to the same Redis: where a connection turns out dead, all are replaced. */
  replaceWith(...clients: readonly (Redis | Cluster)[]): void {
    this.#link.replaceWith(...clients);
  }

  stop(): void {
    this.#link.stop();
    this.#wake.close();
    this.queue.wake();
  }
}
