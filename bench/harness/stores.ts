import { type PostgresServer, startPostgres } from '../../test/support/postgres/postgres-server.ts';
import { type RedisServer, startRedis } from '../../test/support/redis/redis-server.ts';

/** What a small dedicated server would be given; everything else is Postgres' default, with fsync and commits on disk. */
const settings = { shared_buffers: '1GB', max_wal_size: '8GB', max_connections: '100' };

/** Servers of this run alone, started when first asked for. Never anybody else's: rows empty them. */
export class Stores {
  #postgres: Promise<PostgresServer> | undefined;
  #redis: Promise<RedisServer> | undefined;

  async postgresUrl(): Promise<string> {
    this.#postgres ??= startPostgres({ durable: true, settings });
    return (await this.#postgres).url;
  }

  /** Append-only file, written to disk every second. */
  async redisUrl(): Promise<string> {
    this.#redis ??= startRedis({ appendonly: true });
    return (await this.#redis).url;
  }

  async stop(): Promise<void> {
    await Promise.all([this.#postgres?.then((server) => server.stop()), this.#redis?.then((server) => server.stop())]);
  }
}
