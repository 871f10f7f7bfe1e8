import { isUtf8 } from 'node:buffer';
import { type Client, ClientState, CloseCode, Protocol, Room, type RoomPlugin } from '@colyseus/core';
import { isMessagePack } from './message-pack-shape.ts';

export interface FrameGuard {
  /** How long a client may take to acknowledge its join before it is let go: all that is sent to it waits until then. */
  readonly joinMs: number;
  /** For a room that has no bound of its own. */
  readonly framesPerSecond: number;
  /** Of a room whose messages are all ours: what may wait for a client that does not read. */
  readonly unreadBytes?: number;
}

interface Inside {
  _onJoin(client: Client, ...rest: unknown[]): Promise<void>;
  _onMessage(client: Client, frame: unknown): void;
}

/** The socket as the transport keeps it. */
interface Socket {
  /** 1: open. When it is closing, frames still come. */
  readonly readyState: number;
  readonly bufferedAmount: number;
  terminate(): void;
}

/** Bits 0 to 4 of the first byte. */
const CODE = 0x1f;

/**
 * Stands before Colyseus in one room, which reads each frame as it comes and prints what it cannot read. In a room that is ours
 * nothing else is heard of a client before it has acknowledged its join: replies would pile up behind it. Nor is a client that
 * is being let go, and one that reads nothing is let go. To be called before the first join. Seen in @colyseus/core 0.18.17.
 */
export const guardFrames = (room: Room, bounds: FrameGuard, refuse: (client: Client) => void): void => {
  const { joinMs, unreadBytes } = bounds;
  const isOurs = unreadBytes !== undefined;
  const inside = room as unknown as Inside;
  // Not the methods of now: a simulated latency replaces them.
  const own = Room.prototype as unknown as Inside;
  if (room.maxMessagesPerSecond === Number.POSITIVE_INFINITY) room.maxMessagesPerSecond = bounds.framesPerSecond;
  inside._onJoin = async (client, ...rest) => {
    await own._onJoin.call(room, client, ...rest);
    room.clock.setTimeout(() => client.state === ClientState.JOINING && endNow(client), joinMs);
  };
  inside._onMessage = (client, frame) => {
    const bytes = frame instanceof Uint8Array && frame.length > 0 ? frame : undefined;
    const code = (bytes?.[0] ?? 0) & CODE;
    if (isOurs) {
      if ((client.ref as unknown as Socket).readyState !== 1 || isDeaf(client, unreadBytes) || !bytes) return;
      const isLate = code !== Protocol.JOIN_ROOM && code !== Protocol.LEAVE_ROOM;
      if (client.state === ClientState.JOINING && isLate) return;
    }
    if (bytes && isMessage(code) && !isWhole(bytes, code, isOurs)) refuse(client);
    else own._onMessage.call(room, client, frame);
  };
};

/**
 * Calls `then` with the room of a plugin as soon as Colyseus attaches it: the first room of a class that has `onUncaughtException`
 * misses the hooks of plugins. Seen in @colyseus/core 0.18.17.
 */
export const onceAttached = (plugin: RoomPlugin, then: (room: Room) => void): void => {
  let attached: Room | undefined;
  const set = (room: Room): void => {
    attached = room;
    then(room);
  };
  Object.defineProperty(plugin, 'room', { get: () => attached, set });
};

/** Whether the client read too little for too long; then it is gone now. */
export const isDeaf = (client: Client, unreadBytes: number): boolean => {
  if ((client.ref as unknown as Socket).bufferedAmount <= unreadBytes) return false;
  endNow(client);
  return true;
};

/** Without a close frame, to which it would have to respond, where the transport can. */
const endNow = (client: Client): void => {
  const { terminate } = client.ref as unknown as Partial<Socket>;
  if (terminate) terminate.call(client.ref);
  else client.leave(CloseCode.WITH_ERROR);
};

const isMessage = (code: number): boolean =>
  code === Protocol.ROOM_DATA || code === Protocol.ROOM_REQUEST || code === Protocol.ROOM_DATA_BYTES;

/** Bytes behind the first of a number in Colyseus' encoding. */
const numberWidths: Readonly<Record<number, number>> = {
  202: 4,
  203: 8,
  204: 1,
  205: 2,
  206: 4,
  207: 8,
  208: 1,
  209: 2,
  210: 4,
  211: 8,
};

/** Whether the frame names a message, as text or number, and brings one whole value, or none. */
const isWhole = (frame: Uint8Array, code: number, isOurs: boolean): boolean => {
  const at = code === Protocol.ROOM_REQUEST ? endOfNumber(frame, 1) : 1;
  const end = at === undefined ? undefined : endOfName(frame, at);
  if (end === undefined) return false;
  return code === Protocol.ROOM_DATA_BYTES || end === frame.length || isMessagePack(frame, end, isOurs);
};

const endOfName = (frame: Uint8Array, at: number): number | undefined => {
  const first = frame[at] ?? 0xc1;
  const isShort = first > 0xa0 && first < 0xc0;
  if (!isShort && first !== 0xd9) return endOfNumber(frame, at);
  const start = at + (isShort ? 1 : 2);
  const end = start + (isShort ? first & 0x1f : (frame[at + 1] ?? Number.POSITIVE_INFINITY));
  const isFit = end <= frame.length && isUtf8(frame.subarray(start, end));
  return isFit ? end : undefined;
};

const endOfNumber = (frame: Uint8Array, at: number): number | undefined => {
  const first = frame[at];
  if (first === undefined) return undefined;
  if (first < 0x80 || first > 0xdf) return at + 1;
  const end = at + 1 + (numberWidths[first] ?? Number.POSITIVE_INFINITY);
  return end <= frame.length ? end : undefined;
};
