import { isUtf8 } from 'node:buffer';
import {
  type Client,
  ClientState,
  CloseCode,
  getMessageBytes,
  Protocol,
  ResponseStatus,
  Room,
  type RoomPlugin,
} from '@colyseus/core';
import { decode } from '@colyseus/schema';
import type { Rejection } from '../../../shared/protocol.ts';
import { isMessagePack } from './message-pack-shape.ts';

export interface FrameGuard {
  /** How long a client may take to acknowledge its join before it is disconnected: all messages to it wait until then. */
  readonly joinMs: number;
  /** For a room without its own bound. */
  readonly framesPerSecond: number;
  /** For a room with only our messages: the most bytes that wait for a client that does not read. */
  readonly unreadBytes?: number;
}

type Refuse = (client: Client, frame: Uint8Array) => void;

interface Inside {
  _onJoin(client: Client, ...rest: unknown[]): Promise<void>;
  _onMessage(client: Client, frame: unknown): void;
}

/** The transport's socket. */
interface Socket {
  /** 1: open. While it closes, frames still arrive. */
  readonly readyState: number;
  readonly bufferedAmount: number;
  terminate(): void;
}

/** The code is in bits 0 to 4 of the first byte. */
const CODE = 0x1f;

/**
 * Checks a room's frames before Colyseus, which prints frames that it cannot read. In a room of ours, frames are
 * ignored until the client has acknowledged its join, since replies would pile up, and while it is being disconnected.
 * A client that reads nothing is disconnected. Call it before the first join. Checked with @colyseus/core 0.18.17.
 */
export const guardFrames = (room: Room, bounds: FrameGuard, refuse: Refuse): void => {
  const { joinMs, unreadBytes } = bounds;
  const isOurs = unreadBytes !== undefined;
  const inside = room as unknown as Inside;
  // Methods of the prototype, because a simulated latency replaces those of the room.
  const own = Room.prototype as unknown as Inside;
  if (room.maxMessagesPerSecond === Number.POSITIVE_INFINITY) room.maxMessagesPerSecond = bounds.framesPerSecond;
  inside._onJoin = async (client, ...rest) => {
    await own._onJoin.call(room, client, ...rest);
    room.clock.setTimeout(() => client.state === ClientState.JOINING && endNow(client), joinMs);
  };
  inside._onMessage = (client, frame) => {
    const bytes = frame instanceof Uint8Array && frame.length > 0 ? frame : undefined;
    const code = (bytes?.[0] ?? 0) & CODE;
    const isAcknowledged = isOurs && code === Protocol.JOIN_ROOM && client.state === ClientState.JOINING;
    if (isOurs) {
      if ((client.ref as unknown as Socket).readyState !== 1 || endIfUnread(client, unreadBytes) || !bytes) return;
      const isLate = code !== Protocol.JOIN_ROOM && code !== Protocol.LEAVE_ROOM;
      if (client.state === ClientState.JOINING && isLate) return;
    }
    if (bytes && isMessage(code) && !isWhole(bytes, code, isOurs)) refuse(client, bytes);
    else own._onMessage.call(room, client, frame);
    if (isAcknowledged) snapshots.set(client.ref, (client.ref as unknown as Socket).bufferedAmount);
  };
};

/** By socket: the bytes that waited when the join was acknowledged, until most are read. A large home is no fault of its client. */
const snapshots = new WeakMap<object, number>();

/** Rejects a message whose frame is refused: a request by its number, which stands before the unreadable part. */
export const rejectFrame = (client: Client, frame: Uint8Array, rejection: Rejection): void => {
  const isRequest = ((frame[0] ?? 0) & CODE) === Protocol.ROOM_REQUEST && endOfNumber(frame, 1) !== undefined;
  if (isRequest) {
    const id = decode.number(frame, { offset: 1 });
    client.raw(getMessageBytes[Protocol.ROOM_RESPONSE](id, ResponseStatus.REJECTED, rejection));
  } else client.send('home:rejected', rejection);
};

/**
 * Calls `then` with a plugin's room as soon as Colyseus attaches it: the first room of a class with
 * `onUncaughtException` does not call the hooks of plugins. Checked with @colyseus/core 0.18.17.
 */
export const onceAttached = (plugin: RoomPlugin, then: (room: Room) => void): void => {
  let attached: Room | undefined;
  const set = (room: Room): void => {
    attached = room;
    then(room);
  };
  Object.defineProperty(plugin, 'room', { get: () => attached, set });
};

/** Disconnects a client for which too much waits; returns whether it did. */
export const endIfUnread = (client: Client, unreadBytes: number): boolean => {
  const { bufferedAmount } = client.ref as unknown as Socket;
  if (bufferedAmount <= unreadBytes) snapshots.delete(client.ref);
  if (bufferedAmount <= unreadBytes + (snapshots.get(client.ref) ?? 0)) return false;
  endNow(client);
  return true;
};

/** If the transport can, without a close frame, which would need a response. */
const endNow = (client: Client): void => {
  const { terminate } = client.ref as unknown as Partial<Socket>;
  if (terminate) terminate.call(client.ref);
  else client.leave(CloseCode.WITH_ERROR);
};

const isMessage = (code: number): boolean =>
  code === Protocol.ROOM_DATA || code === Protocol.ROOM_REQUEST || code === Protocol.ROOM_DATA_BYTES;

/** The number of bytes after the first byte of a number in Colyseus' encoding. */
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

/** Whether the frame names a message, as text or number, and has one whole value or none. */
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
