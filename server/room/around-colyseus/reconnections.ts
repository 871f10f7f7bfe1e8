import { type Client, ClientState, type Room } from '@colyseus/core';

/** By token: clients that may reconnect, in @colyseus/core 0.18.17. */
interface Kept {
  readonly _reconnections: Readonly<Record<string, readonly [sessionId: string, back: PromiseLike<unknown>]>>;
}

/** Calls `back` for each client that reconnects, after the room's own `onReconnect`: plugins have no such hook. */
export const onReconnect = (room: Room, back: (client: Client) => void): void => {
  const own = room.onReconnect?.bind(room);
  room.onReconnect = async (client) => {
    await own?.(client);
    back(client);
  };
};

/**
 * Calls `gone` when a client does not reconnect after its `onLeave`: at once, or when the room's `allowReconnection`
 * has ended, whether `onLeave` awaited it or not.
 */
export const onceGone = (room: Room, client: Client, gone: () => void): void => {
  if (client.state === ClientState.RECONNECTED) return;
  const kept = (room as unknown as Kept)._reconnections[client.reconnectionToken];
  if (kept) kept[1].then(undefined, gone);
  else gone();
};
