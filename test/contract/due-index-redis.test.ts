import { describe, inject } from 'vitest';
import { dueIndexModel } from '../model/due-index.ts';
import { startRedisIndex } from '../support/engine/redis-due-index.ts';
import { dueIndexContract } from './due-index.ts';

const url = inject('redisUrl');
const make = () => startRedisIndex({ url });

describe.skipIf(url === '')('with a Redis server', () => {
  dueIndexContract('Redis', make);
  dueIndexModel('Redis', { runs: 200, make });
});
