import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';

export interface Seat {
  readonly processId: string;
  readonly roomId: string;
  readonly sessionId: string;
}

/** A server, and how to sign in there. */
export interface Signs {
  readonly address: string;
  readonly tokens: { signGuest(sub?: string): Promise<string | undefined> };
}

/** A seat in the home of this guest, for any client. */
export const seatOf = async (
  { address, tokens }: Signs,
  sub: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Seat> => {
  const authorization = `Bearer ${await tokens.signGuest(sub)}`;
  const answer = await fetch(`${address}/matchmake/joinOrCreate/home`, {
    method: 'POST',
    headers: { ...headers, authorization },
  });
  if (!answer.ok) throw new Error(`no seat: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Seat;
};

/** A WebSocket of which nothing is done but the handshake: what comes is for the caller to read, or to leave. */
export const openSocket = async (
  address: string,
  { processId, roomId, sessionId }: Seat,
  more: Readonly<Record<string, string>> = {},
): Promise<{ readonly answer: number; readonly socket: Socket }> => {
  const headers = {
    ...more,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
  };
  const asked = request(`${address}/${processId}/${roomId}?sessionId=${sessionId}`, { headers }).end();
  const [answer, socket, head] = (await once(asked, 'upgrade')) as [IncomingMessage, Socket, Buffer];
  // The bytes right behind the handshake.
  if (head.length > 0) socket.unshift(head);
  socket.on('error', () => undefined);
  return { answer: answer.statusCode ?? 0, socket };
};
