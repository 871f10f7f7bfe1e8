import { once } from 'node:events';
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { CloseCode, matchMaker } from '@colyseus/core';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { drainMessage } from '../../shared/protocol.ts';
import { type HomeServer, startHomeServer } from '../support/game/home-server.ts';
import { Player } from '../support/game/player.ts';

const ALICE = 'guest:alice';
/** Of a WebSocket's handshake: any sixteen bytes. */
const KEY = 'AAAAAAAAAAAAAAAAAAAAAA==';

let server: HomeServer;
let closing: Promise<void> | undefined;
beforeEach(async () => {
  server = await startHomeServer();
  closing = undefined;
});
/** Once a server, however often. */
const close = (): Promise<void> => {
  closing ??= server.close();
  return closing;
};
afterEach(close);

const join = async (): Promise<Player> => Player.join(await server.client(ALICE));
const adopt = (commandId: string) => ({ commandId, name: 'Rex', species: 'dog' });

describe('a server that stops', () => {
  /** One command is accepted and has no answer yet; the server begins to stop. The answer of `goOn` ends all of it. */
  const stopInTheMiddle = async () => {
    const device = await join();
    const left = new Promise<number>((resolve) => device.room.onLeave(resolve));
    const gate = Promise.withResolvers<void>();
    const isAsked = new Promise<void>((resolve) => {
      server.homes.before = (act) => {
        if (act !== 'handle') return;
        resolve();
        return gate.promise;
      };
    });
    const asked = device.request('home:adopt', adopt('command-1'));
    await isAsked;
    const closed = close();
    await device.sawFrame((frame) => frame.type === 'home:drain');
    onTestFinished(async () => {
      gate.resolve();
      await closed;
    });
    return { device, asked, left, closed, goOn: () => gate.resolve() };
  };

  it('tells its clients to join anew, answers what it accepted, and only then lets them go', async () => {
    const { device, asked, left, closed, goOn } = await stopInTheMiddle();
    let isLeft = false;
    left.then(() => {
      isLeft = true;
    });
    expect(drainMessage.parse(device.of('home:drain')[0]?.message)).toEqual({});
    expect(await device.request('home:time', {})).toMatchObject({ type: 'reply' });
    expect(isLeft).toBe(false);

    goOn();

    expect(await asked).toMatchObject({ type: 'reply', message: { seq: 2 } });
    expect(await left).toBe(CloseCode.SERVER_SHUTDOWN);
    await closed;
    expect(device.seqs).toEqual([1, 2]);
  });

  it('accepts no command any more, also none that waits for an earlier one of its id', async () => {
    const { device, asked, goOn } = await stopInTheMiddle();

    const refused = await device.request('home:adopt', adopt('command-2'));
    const repeated = device.request('home:adopt', adopt('command-1'));
    // Its answer says that the one before it has arrived.
    await device.request('home:time', {});
    goOn();

    const rejection = { type: 'rejection', message: { code: 'server/unavailable', retryable: true } };
    expect(refused).toMatchObject(rejection);
    expect(await asked).toMatchObject({ type: 'reply' });
    expect(await repeated).toMatchObject(rejection);
    expect(server.homes.log(ALICE)).toHaveLength(2);
  });

  it('lets nobody in: gives no seat, and takes back those that were reserved', async () => {
    const client = await server.client(ALICE);
    const { data } = await client.http.post('/matchmake/joinOrCreate/home', { body: {} });
    await stopInTheMiddle();

    const authorization = `Bearer ${await server.tokens.signGuest('guest:bob')}`;
    const { status } = await fetch(`${server.address}/matchmake/joinOrCreate/home`, {
      method: 'POST',
      headers: { authorization },
    });
    expect(status).toBe(503);
    await expect((await server.client('guest:bob')).joinOrCreate('home')).rejects.toThrow();
    await expect(client.consumeSeatReservation(data)).rejects.toThrow('server/unavailable');
  });

  it('does not wait for a client that was dropped, nor for one that has a seat and does not come', {
    timeout: 7_000,
  }, async () => {
    const { room } = await join();
    const gone = new Promise<void>((resolve) => room.onDrop(() => resolve()));
    room.reconnection.minUptime = 0;
    room.reconnection.maxRetries = 0;
    room.connection.close();
    await gone;
    await (await server.client('guest:bob')).http.post('/matchmake/joinOrCreate/home', { body: {} });

    await close();

    expect(server.homes.followersOf(ALICE)).toBe(0);
  });

  // Colyseus' pings alone would find it after nine seconds.
  it('does not wait for a client that reads nothing', { timeout: 7_000 }, async () => {
    const { data } = await (await server.client(ALICE)).http.post('/matchmake/joinOrCreate/home', { body: {} });
    const { processId, roomId, sessionId } = data as Record<string, string>;
    const headers = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': KEY,
    };
    const upgrade = request(`${server.address}/${processId}/${roomId}?sessionId=${sessionId}`, { headers }).end();
    const [, deaf] = (await once(upgrade, 'upgrade')) as [unknown, Socket];
    deaf.pause();
    const room = matchMaker.getLocalRoomById(roomId ?? '');
    await vi.waitFor(() => expect(room.clients).toHaveLength(1));
    room.clients[0]?.raw(Buffer.alloc(50_000_000));

    await close();

    deaf.destroy();
  });

  it('lets its clients go with the code of a shutdown', async () => {
    const device = await join();
    const left = new Promise<number>((resolve) => device.room.onLeave(resolve));

    await close();

    expect(await left).toBe(4001);
    expect(server.homes.followersOf(ALICE)).toBe(0);
  });
});
