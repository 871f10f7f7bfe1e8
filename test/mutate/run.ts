// What `npm run mutate` runs: mutation testing. All rooms take hours; `npm run mutate -- server/timer/wheel` tries the
// files whose path begins so. `npm run docs` then writes docs/record/mutation.md.
import '../support/machine/end-on-sigterm.ts';
import { startPostgres } from '../support/postgres/postgres-server.ts';
import { startRedis } from '../support/redis/redis-server.ts';
import { tryScripts } from './lua/try-scripts.ts';
import { filesOf, luaRoom, type MutatedRoom, mutatedRooms } from './record/mutated-rooms.ts';
import { keepResult, readResult, scoreOf } from './record/results.ts';
import { tryFiles } from './stryker/try-files.ts';

const wanted = process.argv.slice(2);

const wantedOf = (room: MutatedRoom): readonly string[] =>
  filesOf(room).filter((file) => wanted.length === 0 || wanted.some((start) => file.startsWith(start)));

const tryRoom = async (room: MutatedRoom, files: readonly string[]): Promise<void> => {
  const tried = room === luaRoom ? await tryScripts(files) : await tryFiles(room, files);
  keepResult(room.name, tried);
  for (const [file, { survivors }] of Object.entries(tried))
    for (const { line, mutator, was, is, isReached } of survivors)
      say(`${file}:${line} ${mutator}${isReached === false ? ', not reached' : ''}\n  - ${was}\n  + ${is}`);
  say(`${room.name}: ${scoreOf(readResult(room.name)).percent.toFixed(1)} % noticed`);
};

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const rooms = mutatedRooms.map((room) => ({ room, files: wantedOf(room) })).filter(({ files }) => files.length > 0);
const needs = (server: MutatedRoom['server']): boolean => rooms.some(({ room }) => room.server === server);
// Mutants hang processes; a server outside of them lives on.
const postgres = needs('postgres') ? await startPostgres() : undefined;
const redis = needs('redis') ? await startRedis() : undefined;
process.env.KIBBLE_MUTATE_POSTGRES = postgres?.url ?? '';
process.env.KIBBLE_MUTATE_REDIS = redis?.url ?? '';
try {
  for (const { room, files } of rooms) await tryRoom(room, files);
} finally {
  await Promise.all([postgres?.stop(), redis?.stop()]);
}
