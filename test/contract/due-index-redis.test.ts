import { describe, inject } from 'vitest';
import { startRedisIndex } from '../support/engine/due-index.ts';
import { dueIndexContract } from './due-index.ts';

const url = inject('redisUrl');

describe.skipIf(url === '')('with a Redis server', () => {
  dueIndexContract('Redis', () => startRedisIndex({ url }));
});
