import type { Cluster, Redis } from 'ioredis';
import type { ClockWitness } from '../../timer/clock/clock-watch.ts';

/** Redis' clock. Of a Cluster any node's: in step with each other they are one clock, else they agree with nothing. */
export const redisWitness = (client: Redis | Cluster): ClockWitness => ({
  name: 'redis',
  isSettable: true,
  read: async () => {
    const [seconds = Number.NaN, microseconds = Number.NaN] = (await client.time()).map(Number);
    return seconds * 1000 + microseconds / 1000;
  },
});
