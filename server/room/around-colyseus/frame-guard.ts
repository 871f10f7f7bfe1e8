import { isUtf8 } from 'node:buffer';
import type { EventEmitter } from 'node:events';
import { type Client, ClientState, Protocol } from '@colyseus/core';
import { isMessagePack } from './message-pack-shape.ts';

export interface FrameBounds {
  /** What may wait for a client that does not read, bytes. */
  readonly unreadBytes: number;
}

/** The socket as the transport keeps it. */
interface Socket extends EventEmitter {
  /** 1: open. When it is closing, frames still come. */
  readonly readyState: number;
  readonly bufferedAmount: number;
  terminate(): void;
}

/** Bits 0 to 4 of the first byte. */
const CODE = 0x1f;
const LONGEST_TYPE = 64;

/**
 * Stands before Colyseus on one connection, which reads each frame as it comes and prints what it cannot read. Until the
 * client has acknowledged its join nothing else is heard: replies would pile up behind it. Nor is a client that is
 * being let go. One that reads nothing is let go. Seen in @colyseus/core 0.18.17.
 */
export const guardFrames = (client: Client, bounds: FrameBounds, refuse: () => void): void => {
  const socket = client.ref as Socket;
  const emit = socket.emit;
  socket.emit = function (this: Socket, event: string | symbol, ...passed: unknown[]): boolean {
    if (event !== 'message') return Reflect.apply(emit, this, [event, ...passed]);
    if (socket.readyState !== 1 || isDeaf(client, bounds)) return true;
    const [frame] = passed;
    if (!(frame instanceof Uint8Array) || frame.length === 0) return true;
    const code = (frame[0] ?? 0) & CODE;
    if (client.state === ClientState.JOINING && code !== Protocol.JOIN_ROOM && code !== Protocol.LEAVE_ROOM)
      return true;
    if (isMessage(code) && !isWhole(frame, code)) refuse();
    else Reflect.apply(emit, this, [event, ...passed]);
    return true;
  };
};

/** Whether the client read too little for too long; then it is gone now. */
export const isDeaf = (client: Client, { unreadBytes }: FrameBounds): boolean => {
  if ((client.ref as Socket).bufferedAmount <= unreadBytes) return false;
  endNow(client);
  return true;
};

export const endNow = (client: Client): void => (client.ref as Socket).terminate();

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
const isWhole = (frame: Uint8Array, code: number): boolean => {
  const at = code === Protocol.ROOM_REQUEST ? endOfNumber(frame, 1) : 1;
  const end = at === undefined ? undefined : endOfName(frame, at);
  if (end === undefined) return false;
  return code === Protocol.ROOM_DATA_BYTES || end === frame.length || isMessagePack(frame, end);
};

const endOfName = (frame: Uint8Array, at: number): number | undefined => {
  const first = frame[at] ?? 0xc1;
  const isShort = first > 0xa0 && first < 0xc0;
  if (!isShort && first !== 0xd9) return endOfNumber(frame, at);
  const start = at + (isShort ? 1 : 2);
  const end = start + (isShort ? first & 0x1f : (frame[at + 1] ?? LONGEST_TYPE + 1));
  const isFit = end - start <= LONGEST_TYPE && end <= frame.length && isUtf8(frame.subarray(start, end));
  return isFit ? end : undefined;
};

const endOfNumber = (frame: Uint8Array, at: number): number | undefined => {
  const first = frame[at];
  if (first === undefined) return undefined;
  if (first < 0x80 || first > 0xdf) return at + 1;
  const end = at + 1 + (numberWidths[first] ?? Number.POSITIVE_INFINITY);
  return end <= frame.length ? end : undefined;
};
