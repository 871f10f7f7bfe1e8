import type { Cluster, Redis } from 'ioredis';
import type { Clock } from '../../../runtime/clock.ts';
import { IndexUnavailable } from '../../../timer/index/index-unavailable.ts';
import { Availability } from './availability.ts';
import { checkRedis } from './check-redis.ts';
import { claimIndex } from './claim-index.ts';
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
  /** Why there is no connection; commands say only that there is none. */
  #connectionError: Error | undefined;
  #deployment: string | undefined;
  /** Behind each connection may be another Redis: none is used before it was looked at. */
  #isExamined = false;
  #connections = 0;

  constructor(dependencies: Dependencies) {
    const { client, clock, report } = dependencies;
    this.#dependencies = dependencies;
    this.#availability = new Availability({ clock, report, examine: () => this.#examine() });
    client.on('error', (error: Error) => {
      this.#connectionError = error;
    });
    client.on('ready', () => {
      this.#connectionError = undefined;
    });
    client.on('close', () => {
      this.#isExamined = false;
      this.#connections += 1;
      this.#availability.lost(this.#reasonOf(new Error('the connection is closed')));
    });
  }

  get isAvailable(): boolean {
    return this.#availability.isAvailable;
  }

  /** Undefined while all is well. Redis may be of use in spite of one. */
  get trouble(): RedisTrouble | undefined {
    return this.#availability.trouble;
  }

  /** See `RedisDueIndex.start`. */
  async start(deployment: string | undefined): Promise<void> {
    const { client, connect } = this.#dependencies;
    this.#deployment = deployment;
    try {
      await Promise.all([client.connect(), connect()]);
      const warning = await this.#examine();
      if (warning !== undefined) throw warning;
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
    this.#dependencies.client.disconnect();
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

  /** Looks whether it can be used: throws when not, returns what else is wrong. */
  async #examine(): Promise<RedisUnfit | undefined> {
    const { client, probe, deploymentKey: key } = this.#dependencies;
    const connections = this.#connections;
    const warning = await checkRedis(client);
    const deployment = this.#deployment;
    if (deployment !== undefined) await claimIndex(client, { key, deployment });
    await probe();
    if (connections !== this.#connections) throw new Error('the connection was lost while Redis was looked at');
    this.#isExamined = true;
    return warning;
  }

  #reasonOf(error: unknown): unknown {
    const isReply = error instanceof RedisUnfit || (error instanceof Error && error.name === 'ReplyError');
    return isReply ? error : (this.#connectionError ?? error);
  }
}
