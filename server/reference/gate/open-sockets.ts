import type { Socket } from 'node:net';

/** Counts a socket of this address until it closes. Returns whether it is one too many. */
export type SocketCount = (address: string, socket: Socket) => boolean;

export const createSocketCount = (most: number): SocketCount => {
  const open = new Map<string, number>();
  return (address, socket) => {
    const count = (open.get(address) ?? 0) + 1;
    open.set(address, count);
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left > 0) open.set(address, left);
      else open.delete(address);
    });
    return count > most;
  };
};
