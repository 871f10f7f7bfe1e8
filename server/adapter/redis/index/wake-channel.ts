import type { Cluster, Redis } from 'ioredis';
import { connectOnce } from '../link/redis-client.ts';

/** The messages of the scripts: a shard of a generation got an earlier head, or its stream got deliveries. */
export interface WakeListener {
  onHead(generation: number, shard: number, score: string): void;
  onDelivery(generation: number, shard: number): void;
}

/** Listens on its own connection. Messages may be lost, so they are only hints. */
export class WakeChannel {
  readonly #client: Redis | Cluster;
  readonly #channel: () => string;

  /** `channel` is read at the connection, because only then the database's name is known. */
  constructor(client: Redis | Cluster, channel: () => string, listener: WakeListener) {
    this.#client = client;
    this.#channel = channel;
    // Without a listener ioredis prints each failure; the other connection fails too, and has a listener.
    client.on('error', () => undefined);
    client.on('message', (_channel: string, message: string) => {
      const [what, generation, shard, score] = message.split(' ');
      if (what === 'head') listener.onHead(Number(generation), Number(shard), score ?? '');
      else if (what === 'delivery') listener.onDelivery(Number(generation), Number(shard));
    });
    // Runs after each lost connection, too.
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
