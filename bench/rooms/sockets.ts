import { Client, type Room } from '@colyseus/sdk';

const JOINING_AT_ONCE = 32;

/** With a token that was signed here: signing in is not what is measured. */
export const joinHome = async (address: string, token: string): Promise<Room> => {
  const client = new Client(address);
  client.auth.token = token;
  const room: Room = await client.joinOrCreate('home');
  return quiet(room);
};

/** A room of its own for each. */
export const joinBare = async (address: string): Promise<Room> => quiet(await new Client(address).create('bare'));

const quiet = (room: Room): Room => {
  room.reconnection.enabled = false;
  room.onMessage('*', () => undefined);
  return room;
};

/** Some at once; answers in the order of the items. */
export const joinAll = async <Item>(
  items: readonly Item[],
  join: (item: Item, at: number) => Promise<Room>,
): Promise<readonly Room[]> => {
  const rooms: Room[] = [];
  const waiting = items.entries();
  const lane = async (): Promise<void> => {
    for (const [at, item] of waiting) rooms[at] = await join(item, at);
  };
  await Promise.all(Array.from({ length: JOINING_AT_ONCE }, lane));
  return rooms;
};

export const leaveAll = async (rooms: readonly Room[]): Promise<void> => {
  await Promise.all(rooms.map((room) => room.leave()));
};
