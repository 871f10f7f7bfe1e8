import type { Room } from '@colyseus/sdk';
import { joinAll, joinBare, joinHome, leaveAll, startHomes, startRooms } from '../../game/rooms.ts';
import { underLoad } from '../../harness/load.ts';
import { inUnit, type Row } from '../../harness/row.ts';

const KIBBLE = 'cards';
const BARE = 'Colyseus alone, an echo';
/** No room takes more than 50 messages a second of one client. */
const PLAYERS = 512;
const IN_FLIGHT = 256;
const HOUR_MS = 3_600_000;

/** More food than cards that a bench can play: each card moves a timer. */
const rules = {
  starter: { items: { feast: 1, 'speed-up': 100_000, boost: 100_000 } },
  foods: { feast: { workMs: 80_000 * HOUR_MS, xp: 10 } },
  cards: {
    'speed-up': { effect: 'cut', workMs: 2 * HOUR_MS },
    boost: { effect: 'rate', rate: 2, lastsMs: HOUR_MS },
  },
};

/** The cost of a command's whole way, beside the fixed cost of its last mile. */
export const commandsSockets: Row = {
  name: 'commands-sockets',
  about: `Cards of ${PLAYERS} players over real sockets, speed-up and boost in turn, ${IN_FLIGHT} in flight: the SDK of all players in one process, the reference server in another (one process, timing wheel), Postgres beside them. And the same sockets with a room of Colyseus that sends back what it gets.`,
  rounds: 3,
  figures: [{ name: 'perSec', unit: '/s' }, ...inUnit('ms', 'p50', 'p99')],
  targets: [{ of: KIBBLE, figure: 'perSec', atLeast: 3000 }],
  quick: { rounds: 3, guarded: [{ of: KIBBLE, figure: 'perSec', against: BARE, better: 'more' }] },
  prepare: async ({ stores, isQuick }) => {
    const homes = await startHomes(await stores.postgresUrl(), rules);
    const bare = await startRooms('bare');
    const players = isQuick ? 64 : PLAYERS;
    const load = { inFlight: isQuick ? 32 : IN_FLIGHT, ...(isQuick ? times(500, 1500) : times(1500, 5000)) };
    const eaters = await joinAll(await homes.tokens(players), async (token) => joinEater(homes.address, token));
    const echoes = await joinAll(Array(players).fill(undefined), () => joinBare(bare.address));
    return {
      contenders: [
        { name: KIBBLE, measure: () => underLoad(load, (number) => playCard(eaters, number)) },
        { name: BARE, measure: () => underLoad(load, (number) => echo(echoes, number)) },
      ],
      dispose: async () => {
        await leaveAll([...eaters, ...echoes]);
        await Promise.all([homes.stop(), bare.stop()]);
      },
    };
  },
};

const times = (warmUpMs: number, lastsMs: number) => ({ warmUpMs, lastsMs });

let commands = 0;
const petIds = new WeakMap<Room, string>();

const joinEater = async (address: string, token: string): Promise<Room> => {
  const room = await joinHome(address, token);
  const { petId } = await ask(room, 'home:adopt', { name: 'Rex', species: 'dog' });
  await ask(room, 'home:feed', { petId, food: 'feast' });
  petIds.set(room, petId);
  return room;
};

const ask = (room: Room, type: string, payload: object): Promise<{ petId: string }> =>
  room.request(type, { ...payload, commandId: `command-${++commands}` });

const playCard = async (rooms: readonly Room[], number: number): Promise<void> => {
  const room = rooms[number % rooms.length];
  if (!room) throw new Error('there are no players');
  const card = Math.floor(number / rooms.length) % 2 === 0 ? 'boost' : 'speed-up';
  await ask(room, 'home:use-card', { petId: petIds.get(room), card });
};

const echo = async (rooms: readonly Room[], number: number): Promise<void> => {
  await rooms[number % rooms.length]?.request('echo', { commandId: `command-${number}`, card: 'boost' });
};
