import { type Client, ClientState, type Room } from '@colyseus/core';

/** Of @colyseus/core 0.18.17. */
interface Inside {
  /** By token: clients that may reconnect. */
  readonly _reconnections: Readonly<Record<string, readonly [sessionId: string, back: PromiseLike<unknown>]>>;
  /** Calls the room's `onDrop` or `onLeave`. */
  _onLeave(client: Client, code?: number): Promise<unknown>;
}

/** Calls `back` for each client that reconnects, after the room's own `onReconnect`: plugins have no such hook. */
export const onReconnect = (room: Room, back: (client: Client) => void): void => {
  const own = room.onReconnect?.bind(room);
  room.onReconnect = async (client) => {
    await own?.(client);
    back(client);
  };
};

/** An `onLeave` that keeps no place for a client takes less. */
const LEAVING_MS = 30_000;

/**
 * Calls `gone` for each client that left and does not reconnect: after the room's `onLeave`, or when its
 * `allowReconnection` has ended, whether `onLeave` awaited it or not. It does not wait for a slow `onLeave`, and then may
 * be called twice. A plugin's own `onLeave` is not called if the room has the hook as a field, or the hook throws, and in
 * the first room of a class with `onUncaughtException`.
 */
export const onGone = (room: Room, gone: (client: Client) => void): void => {
  const inside = room as unknown as Inside;
  const own = inside._onLeave;
  inside._onLeave = async (client, code) => {
    const left = (): void => {
      const kept = inside._reconnections[client.reconnectionToken];
      if (kept) kept[1].then(undefined, () => gone(client));
      else if (client.state !== ClientState.RECONNECTED) gone(client);
    };
    const late = room.clock.setTimeout(left, LEAVING_MS);
    try {
      await own.call(room, client, code);
    } finally {
      late.clear();
      left();
    }
  };
};
