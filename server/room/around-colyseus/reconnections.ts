import { type Client, ClientState, type Room } from '@colyseus/core';

/** What @colyseus/core 0.18.17 keeps of clients that may come back, by their token. */
interface Kept {
  readonly _reconnections: Readonly<Record<string, readonly [sessionId: string, back: PromiseLike<unknown>]>>;
}

/** Calls `back` for each client that comes back, after the room's own `onReconnect`: a plugin has no such hook. */
export const onReconnect = (room: Room, back: (client: Client) => void): void => {
  const own = room.onReconnect?.bind(room);
  room.onReconnect = async (client) => {
    await own?.(client);
    back(client);
  };
};

/**
 * Calls `gone` when a client whose `onLeave` is over does not come back: at once, or when the room's `allowReconnection` has
 * ended, whether `onLeave` awaited it or not.
 */
export const onceGone = (room: Room, client: Client, gone: () => void): void => {
  if (client.state === ClientState.RECONNECTED) return;
  const kept = (room as unknown as Kept)._reconnections[client.reconnectionToken];
  if (kept) kept[1].then(undefined, gone);
  else gone();
};
