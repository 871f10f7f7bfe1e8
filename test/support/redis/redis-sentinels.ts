import { Redis } from 'ioredis';
import { type RedisServer, startRedis } from './redis-server.ts';

export interface Sentinels {
  /** As `redis` takes it. */
  readonly url: string;
  /** The master of the beginning, and its replica. */
  readonly servers: readonly [master: RedisServer, replica: RedisServer];
  readonly sentinels: readonly RedisServer[];
  stop(): Promise<void>;
}

const NAME = 'game';
const COUNT = 3;

/** A master, its replica, and three Sentinels that elect the replica when the master was silent for a second. */
export const startSentinels = async (): Promise<Sentinels> => {
  const master = await startRedis({ flags: ['--repl-diskless-sync-delay', '0'] });
  const replica = await startRedis({ flags: ['--replicaof', `127.0.0.1 ${master.port}`] });
  const config = [
    `sentinel monitor ${NAME} 127.0.0.1 ${master.port} 2`,
    `sentinel down-after-milliseconds ${NAME} 1000`,
    `sentinel failover-timeout ${NAME} 5000`,
  ].join('\n');
  const sentinels = await Promise.all(
    Array.from({ length: COUNT }, () => startRedis({ config, flags: ['--sentinel'] })),
  );
  const all = [master, replica, ...sentinels];
  await Promise.all(sentinels.map(knowsAll));
  return {
    url: sentinels.map(({ port }) => `redis+sentinel://127.0.0.1:${port}/${NAME}`).join(','),
    servers: [master, replica],
    sentinels,
    stop: async () => void (await Promise.all(all.map((server) => server.stop()))),
  };
};

/** Resolves when this Sentinel knows the replica and the other Sentinels. */
const knowsAll = async ({ port }: RedisServer): Promise<void> => {
  const client = new Redis({ port });
  try {
    for (;;) {
      const flat = (await client.call('SENTINEL', 'MASTER', NAME)) as readonly string[];
      const value = (of: string): string | undefined => flat[flat.indexOf(of) + 1];
      if (value('num-slaves') === '1' && value('num-other-sentinels') === String(COUNT - 1)) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  } finally {
    client.disconnect();
  }
};
