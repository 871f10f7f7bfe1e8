import { setTimeout as sleep } from 'node:timers/promises';
import type { Room } from '@colyseus/sdk';
import { joinAll, joinBare, joinHome, leaveAll, type RoomProcess, startHomes, startRooms } from '../../game/rooms.ts';
import { inUnit, type Row, type Sample } from '../../harness/row.ts';

const HOMES = 'home rooms';
const TWO_MODULES = 'home rooms, pets and a village';
const ROOMS = 1000;
/** Long enough for one ping of each connection. */
const FOR_MS = 15_000;

/** The cost of idle players. */
export const idleRooms: Row = {
  name: 'idle-rooms',
  about: `${ROOMS.toLocaleString('en')} players on sockets, in a room each, who do nothing; their homes are empty, without pets or buildings. Memory is what is reachable in the server's process after full collections, for each room, less what was before they came; CPU is what the process needs in a second, less what it needed before they came. The same with bare rooms of Colyseus, which have no state, no authentication and Colyseus' own settings; "over" is the difference of the two in one round.`,
  rounds: 3,
  figures: [...inUnit('B', 'memory', 'bare memory', 'over bare'), ...inUnit('ms', 'CPU a second', 'bare CPU a second')],
  targets: [
    { of: HOMES, figure: 'over bare', atMost: 20_000 },
    { of: HOMES, figure: 'CPU a second', atMost: 20 },
    { of: TWO_MODULES, figure: 'over bare', atMost: 22_000 },
  ],
  quick: { rounds: 1, guarded: [{ of: HOMES, figure: 'over bare', better: 'less' }] },
  prepare: async ({ stores, isQuick }) => {
    const postgresUrl = await stores.postgresUrl();
    const size = isQuick ? { rooms: 500, forMs: 500 } : { rooms: ROOMS, forMs: FOR_MS };
    const measure = async (kind: 'home' | 'home and village'): Promise<Sample> => {
      const homes = await startHomes(postgresUrl, {}, kind);
      const tokens = await homes.tokens(size.rooms);
      const home = await useOf(homes, size, (at) => joinHome(homes.address, tokens[at] ?? ''));
      const server = await startRooms('bare');
      const bare = await useOf(server, size, () => joinBare(server.address));
      return {
        memory: home.bytes,
        'bare memory': bare.bytes,
        'over bare': home.bytes - bare.bytes,
        'CPU a second': home.cpuMs,
        'bare CPU a second': bare.cpuMs,
      };
    };
    return {
      contenders: [
        { name: HOMES, measure: () => measure('home') },
        { name: TWO_MODULES, measure: () => measure('home and village') },
      ],
    };
  },
};

interface Size {
  readonly rooms: number;
  readonly forMs: number;
}

/** The memory of one room, and the CPU of all of them in a second. Ends the server. */
const useOf = async (
  server: RoomProcess,
  { rooms, forMs }: Size,
  join: (at: number) => Promise<Room>,
): Promise<{ readonly bytes: number; readonly cpuMs: number }> => {
  // The first rooms load the code that later ones share.
  await leaveAll(await joinAll([...Array(5).keys()], join));
  const emptyCpuMs = await cpuOf(server, forMs);
  const before = await server.use();
  const joined = await joinAll([...Array(rooms).keys()], join);
  const cpuMs = (await cpuOf(server, forMs)) - emptyCpuMs;
  const after = await server.use();
  await leaveAll(joined);
  await server.stop();
  return { bytes: (after.memoryBytes - before.memoryBytes) / rooms, cpuMs };
};

/** CPU in a second, of a process that was idle for a while. */
const cpuOf = async (server: RoomProcess, forMs: number): Promise<number> => {
  await sleep(forMs / 5);
  const before = await server.use();
  await sleep(forMs);
  const after = await server.use();
  return ((after.cpuMs - before.cpuMs) * 1000) / forMs;
};
