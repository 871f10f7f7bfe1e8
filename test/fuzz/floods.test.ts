// Row 18 of the promises: a client that asks for too much gets no more, and costs other clients nothing.
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, type TestContext } from 'vitest';
import { limits } from '../../server/settings/config.ts';
import { timed } from '../proof/table/tries.ts';
import { requestText, sendRaw, statusOf } from '../support/machine/raw-http.ts';
import { openSocket, seatOf } from '../support/machine/raw-socket.ts';
import { prove } from '../support/properties/prove.ts';
import { Canary } from './support/canary.ts';
import { dataFrame, pack, requestFrame } from './support/pack.ts';
import { addressFor, inTime, RawClient } from './support/raw-client.ts';
import { scaled, sideBySide, startVictim, type Victim } from './support/victim.ts';

/** The allowed cost of a flood, besides its rooms. */
const MOST_MB = 64;
/** Measured: 0.08 MB for an empty one, 0.2 MB with a client. */
const ROOM_MB = 0.2;
/** How long a player's commands may take beside it at p99. */
const CANARY_MS = timed(100);
const ATTACKER = '203.0.113.7';
const JOIN = 'POST /matchmake/joinOrCreate/home';

let victim: Victim;
let canary: Canary;
let beforeMb: number | undefined;

beforeAll(async () => {
  victim = await startVictim();
  // The cost of a process's first requests does not belong to the flood.
  await sideBySide(300, 8, async (at) => {
    await seatOf(victim, `guest:warm-${at}`, { 'x-forwarded-for': addressFor(`warm ${at}`) });
  });
  await sideBySide(40, 4, async (at) => {
    const client = await RawClient.join(victim, `guest:warm-${at}`);
    for (let n = 0; n < 100; n++) client.send(dataFrame('home:time', pack({})) as Buffer<ArrayBuffer>);
    await client.ask('home:time', {});
    await client.leave();
  });
});
afterAll(() => victim.close());

/** Addresses share counters (by a secret seed), so one in some hundreds shares that of an attacker. */
const seatFrom = (name: string) =>
  seatOf(victim, `guest:${name.replaceAll(/\W+/g, '-')}`, { 'x-forwarded-for': addressFor(name) });

beforeEach(async () => {
  beforeMb = victim.rssMb();
  canary = await Canary.start(victim, `guest:canary-${performance.now().toFixed(0)}`);
});
afterEach(async () => {
  expect((await fetch(`${victim.address}/livez`)).status).toBe(200);
});

/** Ends the canary; prints what the flood cost, and holds it to the bound. */
const settleUp = async (context: TestContext, counts: object, rooms = 0): Promise<void> => {
  const what = context.task.name;
  const afterMb = victim.rssMb();
  const times = await canary.stop();
  const grownMb = afterMb === undefined || beforeMb === undefined ? undefined : Math.round(afterMb - beforeMb);
  console.info(`${what}: ${JSON.stringify({ ...counts, grownMb, rooms, canary: times })}`);
  expect(times.commands).toBeGreaterThan(0);
  if (grownMb !== undefined) expect(grownMb).toBeLessThanOrEqual(MOST_MB + rooms * ROOM_MB);
  expect(times.p99Ms).toBeLessThanOrEqual(CANARY_MS);
  const seen = `${what}: ${grownMb ?? '?'} MB more, a player's commands p99 ${times.p99Ms} ms`;
  prove(
    context,
    { row: 18, tries: grownMb === undefined ? 0 : 1, of: 'floods, at most 64 MB beside the rooms', seen },
    { row: 18, tries: 1, of: 'players beside floods, p99 <= 100 ms' },
  );
};

const tally = () => {
  const statuses: Record<number, number> = {};
  return { statuses, add: (status: number) => (statuses[status] = (statuses[status] ?? 0) + 1) };
};

describe('a flood', { timeout: 120_000 }, () => {
  it('of guests from one address ends at the limit', async (context) => {
    const { statuses, add } = tally();
    const text = requestText('POST /auth/anonymous', { 'X-Forwarded-For': ATTACKER });

    await sideBySide(scaled(2_000), 16, async () => void add(statusOf(await sendRaw(victim.address, text))));

    await settleUp(context, statuses);
    expect(statuses[200]).toBeLessThanOrEqual(2 * limits.rates.guestsPerAddress.count);
    expect(statuses[429]).toBeGreaterThan(0);
  });

  it('of joins from one address ends at the limit, and takes no more rooms than that', async (context) => {
    const { statuses, add } = tally();
    const token = await victim.tokens.signGuest('guest:joiner');
    const text = requestText(JOIN, { 'X-Forwarded-For': '203.0.113.8', Authorization: `Bearer ${token}` });

    await sideBySide(scaled(3_000), 16, async () => void add(statusOf(await sendRaw(victim.address, text))));

    await settleUp(context, statuses);
    // By player before by address.
    expect(statuses[200]).toBeLessThanOrEqual(2 * limits.rates.joinsPerPlayer.count);
    expect(statuses[429]).toBeGreaterThan(0);
  });

  it('of seats that are never taken, from everywhere, costs a room each', async (context) => {
    const rooms = scaled(800);

    await sideBySide(rooms, 12, async (at) => {
      await seatFrom(`seat ${at}`).catch((error: Error) => {
        if (!error.message.startsWith('no seat: 429')) throw error;
        return seatFrom(`seat ${at}, elsewhere`);
      });
    });

    await settleUp(context, { seats: rooms }, rooms);
  });

  it('of messages is refused, then thrown out', async (context) => {
    const counts = { sent: 0, thrownOut: 0, rejected: 0 };

    await sideBySide(scaled(40), 4, async (at) => {
      const client = await RawClient.join(victim, `guest:flood-${at % 4}`);
      for (let n = 0; n < 1_000; n++) {
        client.send(requestFrame(n % 100, 'home:time', pack({})) as Buffer<ArrayBuffer>);
        counts.sent += 1;
      }
      if ((await inTime(client.ended, 'a flood')) === 4002) counts.thrownOut += 1;
      counts.rejected += client.received.filter((frame) => frame.includes('rate/limited')).length;
    });

    await settleUp(context, counts, 4);
    expect(counts.thrownOut).toBe(scaled(40));
    expect(counts.rejected).toBeGreaterThan(0);
  });

  it('of large bodies is not read', async (context) => {
    const { statuses, add } = tally();
    const large = 'a'.repeat(1_000_000);
    const chunk = `${large.length.toString(16)}\r\n${large}`;

    await sideBySide(scaled(300), 8, async (at) => {
      const chunked = { 'Transfer-Encoding': 'chunked' };
      const headers = { 'X-Forwarded-For': addressFor(`body ${at}`), ...(at % 2 === 0 ? chunked : {}) };
      const text = requestText(at % 3 === 0 ? 'POST /auth/anonymous' : JOIN, headers, at % 2 === 0 ? chunk : large);
      const whole = at % 2 === 0 ? text.replace(/Content-Length: \d+\r\n/, '') : text;
      add(statusOf(await inTime(sendRaw(victim.address, whole), 'a large body')) || 0);
    });

    await settleUp(context, statuses);
    // 0: hung up on while it was still sending.
    for (const status of Object.keys(statuses)) expect(['0', '411', '413']).toContain(status);
  });

  it('of clients that read nothing costs what they may ask for', async (context) => {
    const count = scaled(24);
    const sockets: Socket[] = [];

    await sideBySide(count, 8, async (at) => {
      const { socket } = await openSocket(
        victim.address,
        await seatOf(victim, `guest:deaf-${at}`, { 'x-forwarded-for': addressFor(`deaf ${at}`) }),
        { 'x-forwarded-for': addressFor(`deaf ${at}`) },
      );
      socket.pause();
      sockets.push(socket);
      socket.write(masked(Buffer.from([10])));
      for (let n = 0; n < 100; n++)
        socket.write(
          masked(
            requestFrame(
              n,
              'home:quote',
              pack({ command: 'home:adopt', payload: { name: 'a'.repeat(20), species: 'dog' } }),
            ),
          ),
        );
    });

    await settleUp(context, { clients: count }, count);
    for (const socket of sockets) socket.destroy();
  });

  it('of requests that never end is hung up on', async (context) => {
    const count = scaled(200);
    const startedAtMs = performance.now();
    const { hostname, port } = new URL(victim.address);

    await sideBySide(count, count, async (at) => {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => undefined);
      socket.write(
        at % 2 === 0 ? 'GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ' : requestText(JOIN, { 'Content-Length': '100' }),
      );
      socket.resume();
      await new Promise((resolve) => socket.once('close', resolve));
    });

    await settleUp(context, {
      sockets: count,
      allClosedAfterS: Math.round((performance.now() - startedAtMs) / 1_000),
    });
  });
});

/** A client's frame on the wire, masked with zeroes; below 126 bytes, or below 64 kB. */
const masked = (payload: Uint8Array): Buffer => {
  const length =
    payload.length < 126 ? [0x80 + payload.length] : [0x80 + 126, payload.length >> 8, payload.length & 255];
  return Buffer.concat([Buffer.from([0x82, ...length, 0, 0, 0, 0]), payload]);
};
