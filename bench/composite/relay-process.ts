// The relay in a process of its own, as it would be run. argv: its stores as JSON. Ends with its parent's channel.
import { z } from 'zod';
import { poolOf } from '../game/game-database.ts';
import { openDelays } from './delays.ts';
import { relay } from './relay.ts';

const { postgresUrl, redisUrl } = z
  .object({ postgresUrl: z.string(), redisUrl: z.string() })
  .parse(JSON.parse(process.argv[2] ?? ''));
const ending = new AbortController();
process.once('disconnect', () => ending.abort());
const pool = poolOf(postgresUrl, 1);
const delays = await openDelays(redisUrl);
await relay(pool, delays, ending.signal);
await delays.close();
await pool.end();
