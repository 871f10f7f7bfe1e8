// A process that makes excessive requests until its input ends, and then reports their number. Arguments: messages,
// joins or connections; VICTIM: the address; SECRET: signs the server's tokens.
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pass } from 'node:timers/promises';
import { createTokens } from '../../server/room/tokens.ts';
import { dataFrame, pack, requestFrame } from '../../test/fuzz/support/pack.ts';
import { RawClient } from '../../test/fuzz/support/raw-client.ts';
import type { FloodKind } from '../rows/game/floods.ts';

const { VICTIM: address = '', SECRET = '' } = process.env;
const tokens = createTokens({ jwtSecret: SECRET }, () => 'nobody');
const ADDRESSES = 16;
const ABUSERS = 32;
/** 32 abusers together send about 5,000 a second: below the limit that disconnects them. */
const FRAMES_A_BEAT = 7;
const BEAT_MS = 45;
/** Unfinished requests that one abuser has open at once. */
const HALF = 64;
/** The number of frames that get the sender disconnected; then it reconnects. */
const BURST = 400;

let isOver = false;
let attempts = 0;
let halfOpen = 0;

const from = (at: number): string => `198.51.100.${at % ADDRESSES}`;

/** As many as a connection may send, and sometimes many more. All want a reply that needs the database. */
const sendMessages = async (at: number): Promise<void> => {
  const client = await RawClient.join({ address, tokens }, `guest:abuser-${at}`, from(at));
  for (let beat = 1; !isOver && client.isOpen; beat += 1) {
    const count = beat % 100 === 0 ? BURST : FRAMES_A_BEAT;
    for (let n = 0; n < count; n += 1) {
      const payload = pack({ commandId: `abuse-${at}-${attempts}`, petId: `guest:abuser-${at}~p2`, food: 'dog-food' });
      const body = n % 4 === 0 ? payload : pack({ afterSeq: 0 });
      const type = n % 4 === 0 ? 'home:feed' : 'home:sync';
      const frame = n % 2 === 0 ? requestFrame(n % 100, type, body) : dataFrame(type, body);
      client.send(frame as Buffer<ArrayBuffer>);
      attempts += 1;
    }
    await pass(BEAT_MS);
  }
  await client.leave();
};

/** Signs in, joins with a good token, joins with an invented one: as fast as replies come. */
const askForSeats = async (at: number): Promise<void> => {
  const good = await tokens.signGuest(`guest:abuser-${at}`);
  const wanted: readonly (readonly [path: string, token: string])[] = [
    ['/auth/anonymous', ''],
    ['/matchmake/joinOrCreate/home', `Bearer ${good}`],
    ['/matchmake/joinOrCreate/home', `Bearer ${good}x`],
  ];
  const [path = '', authorization = ''] = wanted[attempts % wanted.length] ?? [];
  attempts += 1;
  const headers = { 'x-forwarded-for': from(at), ...(authorization === '' ? {} : { authorization }) };
  const answer = await fetch(`${address}${path}`, { method: 'POST', headers });
  await answer.arrayBuffer();
};

/** WebSockets without a seat, and unfinished requests: as many as possible. */
const openConnections = async (at: number): Promise<void> => {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  attempts += 1;
  const head = `GET /a/b?sessionId=c HTTP/1.1\r\nHost: ${hostname}\r\nX-Forwarded-For: ${from(at)}\r\n`;
  // Unfinished requests stay until the server closes them.
  if (attempts % 8 === 0 && halfOpen < HALF * ABUSERS) {
    halfOpen += 1;
    socket.once('close', () => {
      halfOpen -= 1;
    });
    socket.resume().write(head);
    return;
  }
  const upgrade = 'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n';
  socket.write(`${head}${upgrade}Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`);
  await Promise.race([once(socket, 'data'), once(socket, 'close')]);
  socket.destroy();
};

const acts: Readonly<Record<FloodKind, (at: number) => Promise<void>>> = {
  messages: sendMessages,
  joins: askForSeats,
  connections: openConnections,
};

const abuse = async (act: (at: number) => Promise<void>, at: number): Promise<void> => {
  // Abusers are refused, and try again.
  while (!isOver) await act(at).catch(() => pass(BEAT_MS));
};

const kind = process.argv[2] as FloodKind;
const all = Array.from({ length: ABUSERS }, (_, at) => abuse(acts[kind], at));
while (attempts === 0) await pass(BEAT_MS);
process.stdout.write('at work\n');
await once(process.stdin.resume(), 'end');
isOver = true;
await Promise.race([Promise.all(all), pass(2_000)]);
process.stdout.write(`${attempts}\n`, () => process.exit(0));
