import type { Cluster, Redis } from 'ioredis';
import { connectOnce } from '../link/redis-client.ts';

/** What the scripts publish: a shard of a generation got an earlier head, or its stream got deliveries. */
export interface WakeListener {
  onHead(generation: number, shard: number, score: string): void;
  onDelivery(generation: number, shard: number): void;
}

/** Listens on a connection of its own. Messages may be lost, so they are hints only. */
export class WakeChannel {
  readonly #client: Redis | Cluster;
  readonly #channel: () => string;

  /** `channel` is asked when it is connected: its name is the database's, which is known by then. */
  constructor(client: Redis | Cluster, channel: () => string, listener: WakeListener) {
    this.#client = client;
    this.#channel = channel;
    // Without a listener ioredis prints each failure; the other connection fails as well, and is heard.
    client.on('error', () => undefined);
    client.on('message', (_channel: string, message: string) => {
      const [what, generation, shard, score] = message.split(' ');
      if (what === 'head') listener.onHead(Number(generation), Number(shard), score ?? '');
      else if (what === 'delivery') listener.onDelivery(Number(generation), Number(shard));
    });
    // Also after each lost connection.
    client.on('ready', () => void this.#subscribe());
  }

  async connect(): Promise<void> {
    await connectOnce(this.#client);
    await this.#subscribe();
  }

  close(): void {
    this.#client.disconnect();
  }

  async #subscribe(): Promise<void> {
    await this.#client.subscribe(this.#channel()).catch(() => undefined);
  }
}
