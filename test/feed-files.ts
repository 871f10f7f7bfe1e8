// `npm run feed-files`: one `home:feed` from the client's socket to its reply, on Postgres and Redis, and the files of
// which code ran meanwhile. By V8's own coverage, so a file counts when one of its functions was called.
import { Session } from 'node:inspector/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { openServer } from '../server/reference/open-server.ts';
import { readConfig } from '../server/settings/config.ts';
import { createLog } from '../server/telemetry/log.ts';
import { joinHome } from './support/game/player.ts';
import { createDatabase, startPostgres } from './support/postgres/postgres-server.ts';
import { startRedis } from './support/redis/redis-server.ts';

const root = path.dirname(import.meta.dirname);
const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
const database = await createDatabase(postgres.url);
const server = await openServer(
  readConfig({
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    JWT_SECRET: 'k7Qz1v9XbT4mR8wLcY2nPdF6sJhA3gUe',
    OPS_TOKENS: 'op:admin:Zx81kQmW4vTn7LrB2yHcD5sJ',
    PORT: '0',
    HOST: '127.0.0.1',
  }),
  createLog({ level: 'fatal' }),
  [],
);
const session = new Session();
session.connect();
const player = await joinHome(server.address);
const adopted = await player.ask('home:adopt', { name: 'Rex', species: 'dog' });
// A second one: what is done once in the life of a process is not a feed's.
await player.ask('home:adopt', { name: 'Tom', species: 'cat' });

await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
const { petId } = adopted;
await player.ask('home:feed', { petId, food: 'dog-food' });
const { result } = await session.post('Profiler.takePreciseCoverage');

const ran = result
  .filter(
    ({ url, functions }) =>
      url.startsWith('file:') && functions.some(({ functionName, ranges }) => functionName !== '' && ranges[0]?.count),
  )
  .map(({ url }) => path.relative(root, fileURLToPath(url)))
  .filter((file) => /^(?:server|shared)\//.test(file))
  .toSorted();
process.stdout.write(`${ran.join('\n')}\nfiles that run in a feed: ${ran.length}\n`);
await player.room.leave();
await server.close();
await database.drop();
await Promise.all([postgres.stop(), redis.stop()]);
process.exit(0);
