import { CloseCode, matchMaker } from '@colyseus/core';
import { Client } from '@colyseus/sdk';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { comeBack } from '../../examples/come-back.ts';
import { systemClock } from '../../server/adapter/machine/system-clock.ts';
import { HostFault } from '../../server/home/model/faults.ts';
import type { OnRules } from '../../server/home/model/rules-in-force.ts';
import { startGameServer } from '../../server/reference/game-server.ts';
import type { HomeJoinOptions, HomeRoom } from '../../server/room/home-room.ts';
import type { Command, SyncReply } from '../../shared/pets/protocol.ts';
import type { Rejection } from '../../shared/protocol.ts';
import { petsModules } from '../../testing/pets-engine.ts';
import { type HomeServer, startHomeServer } from '../support/game/home-server.ts';
import { Player } from '../support/game/player.ts';

let server: HomeServer;

beforeEach(async () => {
  server = await startHomeServer();
});

afterEach(async () => {
  await server.close();
});

const ALICE = 'guest:alice';
const give: Command = { type: 'home:grant', items: { 'dog-food': 1 }, reason: 'test' };
const upTo = (count: number, from = 1): number[] => Array.from({ length: count - from + 1 }, (_, at) => from + at);
const join = async (sub = ALICE, options: object = {}): Promise<Player> =>
  Player.join(await server.client(sub), options as HomeJoinOptions);
const adopt = (commandId: string, name = 'Rex') => ({ commandId, name, species: 'dog' });

describe('a home', () => {
  it('is shown in the state, and changes there before the reply comes', async () => {
    const device = await join();
    expect(device.room.state.toJSON()).toMatchObject({ playerId: ALICE, epoch: 'epoch-1', seq: 0, pets: {} });
    expect(device.room.state.items.get('dog-food')).toBe(10);

    const reply = await device.request('home:adopt', adopt('command-1'));

    expect(reply).toMatchObject({ type: 'reply', stateSeq: 2, message: { seq: 2, petId: `${ALICE}~p2` } });
    expect(device.room.state.pets.get(`${ALICE}~p2`)?.toJSON()).toMatchObject({ name: 'Rex', level: 1, dueAt: 0 });
  });

  it('tells of a feeding that came to its end', async () => {
    const device = await join();
    await device.request('home:adopt', adopt('command-1'));
    await device.request('home:feed', { commandId: 'command-2', petId: `${ALICE}~p2`, food: 'dog-food' });
    server.homes.nowMs += 5 * 3_600_000;

    server.homes.settle(ALICE);

    const told = await device.sawSeq(4);
    expect(told).toMatchObject({ type: 'home:events', stateSeq: 4, events: [{ type: 'feeding-completed' }] });
    expect(device.room.state.pets.get(`${ALICE}~p2`)?.xp).toBe(10);
  });

  it('has other levels as soon as the rules have, without a commit', async () => {
    let changed: OnRules = () => undefined;
    const onRules = (listener: OnRules) => {
      changed = listener;
      return () => undefined;
    };
    Object.assign(server.homes, { onRules });
    const device = await join();
    await device.request('home:adopt', adopt('command-1'));
    const level = () => device.room.state.pets.get(`${ALICE}~p2`)?.level;
    expect(level()).toBe(1);

    Object.assign(server.homes.catalogue, { levels: [0, 0, 5] });
    changed([{ module: 'pets', version: 2 }]);

    await expect.poll(level).toBe(2);
  });

  it('brings two devices that send at once every event once, in order, behind its state', async () => {
    const devices = [await join(), await join()] as const;
    expect(devices[0].room.roomId).toBe(devices[1].room.roomId);

    await Promise.all(
      devices.flatMap((device, at) =>
        upTo(20).map((n) => {
          if (n % 5 === 0) server.homes.elsewhere(ALICE, [give]);
          return device.request('home:adopt', adopt(`command-${at}-${n}`));
        }),
      ),
    );
    server.homes.elsewhere(ALICE, [give]);
    server.homes.nudge(ALICE);

    const { length } = server.homes.log(ALICE);
    expect(length).toBeGreaterThan(16);
    for (const device of devices) {
      await device.sawSeq(length);
      expect(device.seqs).toEqual(upTo(length));
      for (const frame of device.frames) {
        expect(frame.stateSeq).toBeGreaterThanOrEqual(frame.events.at(-1)?.seq ?? 0);
      }
    }
  });
});

describe('a client that joins', () => {
  it('gets what it missed first, in pages', async () => {
    server.homes.elsewhere(ALICE, Array(300).fill(give));

    const device = await join(ALICE, { afterSeq: 1, epoch: 'epoch-1' });
    const { message } = await device.request('home:sync', { afterSeq: 201 });

    expect(device.of('home:events')).toMatchObject([{ message: { truncated: true } }]);
    expect(message).not.toHaveProperty('truncated');
    expect(device.seqs).toEqual(upTo(301, 2));
  });

  it('gets at most 64 kB of long events at its join, and is told that there are more', async () => {
    server.homes.elsewhere(ALICE, Array(3).fill({ ...give, reason: 'x'.repeat(30_000) }));
    const device = await join(ALICE, { afterSeq: 1, epoch: 'epoch-1' });
    await device.request('home:sync', { afterSeq: 4 });
    expect(device.of('home:events')).toMatchObject([{ message: { truncated: true } }]);
    expect(device.seqs).toEqual([2, 3]);
  });

  it('gets at most 256 kB of long events in a page that it asks for, and one event at least', async () => {
    const bytes = (count: number): Command => ({ ...give, reason: 'x'.repeat(count) });
    server.homes.elsewhere(ALICE, [...Array(5).fill(bytes(100_000)), bytes(300_000), give]);

    const device = await join(ALICE);
    const pages: number[][] = [];
    for (let isMore = true; isMore; ) {
      const { events, message } = await device.request('home:sync', { afterSeq: pages.at(-1)?.at(-1) ?? 1 });
      pages.push(events.map(({ seq }) => seq));
      isMore = (message as SyncReply).truncated === true;
    }

    expect(pages).toEqual([[2, 3], [4, 5], [6], [7], [8]]);
  });

  it('gets nothing old without a cursor', async () => {
    server.homes.elsewhere(ALICE, [give]);

    const device = await join();

    expect(device.seqs).toEqual([]);
  });

  it('is told that its cursor is ahead, and what is wrong with one that is none', async () => {
    const ahead = await join(ALICE, { afterSeq: 5 });
    const wrong = await join(ALICE, { afterSeq: 'x' });

    expect(ahead.of('home:rejected')).toMatchObject([{ message: { code: 'sync/ahead', retryable: false } }]);
    expect(wrong.of('home:rejected')).toMatchObject([{ message: { code: 'command/invalid' } }]);
  });

  it('gets a new token when it is a guest', async () => {
    const device = await join();

    const [frame] = device.of('home:token');
    expect(await server.tokens.verify((frame?.message as { token: string } | undefined)?.token)).toMatchObject({
      sub: ALICE,
      isGuest: true,
    });
  });

  it('is told that the game’s own inventory is to blame, which will be so the next time as well', async () => {
    const fault = new HostFault('inventory/load', new Error('emil has "3" of dog-food'));
    server.homes.before = () => Promise.reject(fault);

    await expect(join()).rejects.toThrow('inventory/refused');
  });

  it('is turned away while its home cannot be loaded, and let in afterwards', async () => {
    server.homes.before = () => Promise.reject(new Error('the store is down'));
    await expect(join()).rejects.toThrow('server/unavailable');
    server.homes.before = () => undefined;

    expect((await join()).room.state.seq).toBe(0);
    expect(server.homes.followersOf(ALICE)).toBe(1);
  });
});

describe('a stranger', () => {
  it('lands in the own home, whatever it asks for', async () => {
    const alice = await join();
    const mallory = await join('guest:mallory', { playerId: ALICE, roomId: alice.room.roomId, sub: ALICE });
    await alice.request('home:adopt', adopt('command-1'));
    await mallory.request('home:time', {});

    expect(mallory.room.state.playerId).toBe('guest:mallory');
    expect(mallory.seqs).toEqual([]);
  });

  it('cannot join by id, create or list rooms', async () => {
    const { room } = await join();
    const authorization = `Bearer ${await server.tokens.signGuest('guest:mallory')}`;

    for (const method of ['joinById', 'create', 'join', 'query']) {
      const path = `/matchmake/${method}/${method === 'joinById' ? room.roomId : 'home'}`;
      const response = await fetch(`${server.address}${path}`, { method: 'POST', headers: { authorization } });
      expect(await response.json()).toMatchObject({ error: `invalid method "${method}"` });
    }
  });

  it('is refused by the room itself where joining by id is allowed', async () => {
    const alice = await join();
    const mallory = await server.client('guest:mallory');
    matchMaker.controller.exposedMethods = ['joinOrCreate', 'joinById', 'reconnect'];

    await expect(mallory.joinById(alice.room.roomId)).rejects.toThrow('auth/refused');
    await alice.request('home:adopt', adopt('command-1'));
    expect(alice.seqs).toEqual([1, 2]);
  });

  it.each([
    ['no token', undefined, 'auth/missing'],
    ['garbage', 'e30.e30.e30', 'auth/refused'],
  ])('with %s stays outside', async (_what, token, why) => {
    const client = new Client(server.address);
    if (token !== undefined) client.auth.token = token;

    await expect(client.joinOrCreate('home')).rejects.toThrow(why);
    expect(server.faults).toEqual([]);
  });
});

describe('a message', () => {
  it('sent again gets the first answer', async () => {
    const device = await join();

    const first = await device.request('home:adopt', adopt('command-1'));
    const second = await device.request('home:adopt', adopt('command-1'));
    const other = await device.request('home:adopt', adopt('command-1', 'Bo'));

    expect(second.message).toEqual(first.message);
    expect(other).toMatchObject({ type: 'rejection', message: { code: 'command/reused' } });
    expect(server.homes.log(ALICE)).toHaveLength(2);
  });

  it('is answered by a message to an SDK without requests', async () => {
    const device = await join();
    const { room } = device;

    room.send('home:adopt', adopt('command-1'));
    room.send('home:feed', { commandId: 'command-2', petId: 'nobody', food: 'dog-food' });
    room.send('home:time', { commandId: 'question-3' });
    room.send('home:adopt', { commandId: 'command-4', name: 3 } as never);
    await device.sawFrame(({ message }) => (message as { commandId?: string }).commandId === 'command-4');

    const answers = [...device.of('home:reply'), ...device.of('home:rejected')].map(({ message }) => message);
    expect(answers).toHaveLength(4);
    expect(answers).toContainEqual(expect.objectContaining({ commandId: 'command-1', seq: 2 }));
    expect(answers).toContainEqual(expect.objectContaining({ commandId: 'command-2', code: 'pet/unknown' }));
    expect(answers).toContainEqual({ commandId: 'question-3', nowMs: server.homes.nowMs });
    expect(answers).toContainEqual(expect.objectContaining({ commandId: 'command-4', code: 'command/invalid' }));
    expect(device.seqs).toEqual([1, 2]);
  });

  it.each([
    'home:adopt',
    'home:feed',
    'home:use-card',
    'home:disarm',
    'home:stop',
    'home:release',
    'home:quote',
    'home:sync',
    'home:time',
  ] as const)('%s with a payload that is none is refused and throws nobody out', async (type) => {
    const device = await join();

    for (const payload of [7, 'text', [1], { commandId: 1 }, { evil: true }, null]) {
      const { message } = await device.request(type, payload);
      if (type !== 'home:time' || payload !== null) expect((message as Rejection).code).toBe('command/invalid');
    }
    expect(server.faults).toEqual([]);
  });

  it('of a type that nobody knows is refused and throws nobody out', async () => {
    const device = await join();
    const { room } = device;

    for (const type of ['home:nope', 'constructor', '__proto__', '*', '_', 7]) room.send(type as never, undefined);
    room.sendBytes('home:adopt', new Uint8Array([1, 2, 3]));
    expect(await device.request('home:nope', {})).toMatchObject({ type: 'fault', message: { name: 'no_handler' } });

    expect(device.of('home:rejected')).toHaveLength(7);
    expect(await device.request('home:time', {})).toMatchObject({ type: 'reply' });
  });

  it('whose outcome is not known is answered without a reason, and finds out when sent again', async () => {
    const device = await join();
    server.homes.before = () => Promise.reject(new Error('the answer to the commit was lost'));
    const failed = await device.request('home:adopt', adopt('command-1'));
    const time = await device.request('home:time', {});
    device.room.send('home:adopt', adopt('command-2'));
    const told = await device.sawFrame(({ type }) => type === 'home:rejected');
    server.homes.before = () => undefined;

    expect(failed).toMatchObject({ type: 'fault', message: { code: 'outcome/unknown' } });
    expect(time).toMatchObject({ type: 'fault' });
    expect(told.message).toMatchObject({ commandId: 'command-2', code: 'server/unavailable', retryable: true });
    expect(await device.request('home:adopt', adopt('command-1'))).toMatchObject({ type: 'reply' });
  });

  it('that is never answered holds up neither the others nor the end', async () => {
    const device = await join();
    server.homes.before = (act) => (act === 'handle' ? new Promise(() => undefined) : undefined);

    void device.request('home:adopt', adopt('command-1'));
    expect(await device.request('home:time', {})).toMatchObject({ type: 'reply' });
    expect(await device.room.leave()).toBe(4000);
  });
});

describe('a client that was dropped', () => {
  it('comes back by itself and gets what happened meanwhile, each event once', async () => {
    const device = await join();
    await device.request('home:adopt', adopt('command-1'));
    const { room } = device;
    room.reconnection.minUptime = 0;
    const back = new Promise<void>((resolve) => room.onReconnect(() => resolve()));
    const gone = new Promise<void>((resolve) => room.onDrop(() => resolve()));
    const comeBack = room.connection.reconnect.bind(room.connection);
    const mayComeBack = Promise.withResolvers<void>();
    room.connection.reconnect = (options) => void mayComeBack.promise.then(() => comeBack(options));

    room.connection.close();
    await gone;
    const other = await join();
    await other.request('home:adopt', adopt('command-2'));
    server.homes.elsewhere(ALICE, [give]);
    mayComeBack.resolve();
    await back;
    await device.sawSeq(4);

    expect(device.seqs).toEqual([1, 2, 3, 4]);
    expect(room.state.seq).toBe(4);
    expect(await device.request('home:adopt', adopt('command-3'))).toMatchObject({ type: 'reply' });
  });
});

describe('a log of which nothing is left', () => {
  it('shows a client of the example what comes after it', async () => {
    server.homes.elsewhere(ALICE, [give]);
    server.homes.deletedSeq = server.homes.log(ALICE).length;
    const shown: number[] = [];
    const client = comeBack(await server.client(ALICE), ({ seq }) => shown.push(seq));
    const { seq } = await client.ask('home:adopt', { name: 'Rex', species: 'dog' });
    expect(shown).toEqual([seq]);
    await client.leave();
  });
});

it('refuses, by a client of the example, what can never be answered, and goes on', async () => {
  const client = comeBack(await server.client(ALICE), () => undefined);
  await expect(client.ask('home:nothing', {})).rejects.toMatchObject({ name: 'no_handler' });
  const name = 'R'.repeat(5_000);
  await expect(client.ask('home:adopt', { name, species: 'dog' })).rejects.toThrow('command/too-large');
  expect(await client.ask('home:adopt', { name: 'Rex', species: 'dog' })).toMatchObject({ seq: 2 });
  await client.leave();
});

describe('the server', () => {
  it('says in one error that its port is taken', async () => {
    const { homes, tokens, address } = server;
    const taken = startGameServer({
      homes,
      tokens,
      catalogue: homes.catalogue,
      modules: petsModules(),
      limits: { joinMax: 200, joinBytes: 65_536 },
      clock: systemClock,
      maxPayload: 4096,
      port: Number(new URL(address).port),
      host: '127.0.0.1',
      routes: () => undefined,
      onFault: () => undefined,
    });

    await expect(taken).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  it('survives whatever bytes come, and serves the others', async () => {
    const calm = await join();
    const client = await server.client('guest:mallory');
    for (let round = 0; round < 20; round++) {
      const room = await client.joinOrCreate<HomeRoom>('home');
      room.onMessage('*', () => undefined);
      const left = new Promise((resolve) => room.onLeave(resolve));
      for (let n = 0; n < 40; n++) room.connection.send(garbage(round * 40 + n));
      // More than a second's share of messages: now it is thrown out, if it has not been before.
      for (let n = 0; n < 200; n++) room.send('home:time', undefined);
      await left;
    }

    expect(await calm.request('home:adopt', adopt('command-1'))).toMatchObject({ type: 'reply' });
  });
});

/** The codes of the protocol with bytes behind them that rarely fit. */
const garbage = (seed: number): Uint8Array => {
  let state = seed + 1;
  const next = (): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state >> 16;
  };
  const bytes = Uint8Array.from({ length: next() % 24 }, () => next() % 256);
  if (bytes.length > 0) bytes[0] = 9 + (next() % 24);
  return bytes;
};

describe('a player who is erased', () => {
  it('is told to start anew and let go; whoever comes back finds an empty home of another epoch', async () => {
    const device = await join();
    await device.request('home:adopt', adopt('command-1'));
    const left = new Promise((resolve) => device.room.onLeave(resolve));
    server.homes.erase(ALICE);
    const told = await device.sawFrame(({ type }) => type === 'home:rejected');
    expect(told.message).toMatchObject({ code: 'sync/ahead' });
    expect(await left).toBe(CloseCode.SERVER_SHUTDOWN);

    const back = await join(ALICE, { afterSeq: 2, epoch: 'epoch-1' });
    expect(back.room.state.toJSON()).toMatchObject({ epoch: 'epoch-1.1', seq: 0, pets: {} });
    expect(await back.sawFrame(({ type }) => type === 'home:rejected')).toMatchObject({
      message: { code: 'sync/ahead' },
    });
    expect((await back.request('home:adopt', adopt('command-2'))).message).toMatchObject({ seq: 2 });
  });

  it('comes back by a client of the example, whose next command says that the log is another one', async () => {
    const client = comeBack(await server.client(ALICE), () => undefined);
    await client.ask('home:adopt', { name: 'Rex', species: 'dog' });
    server.homes.erase(ALICE);
    // The new life is as long: by the numbers alone it would go on.
    server.homes.elsewhere(ALICE, [give]);
    await expect(client.ask('home:adopt', { name: 'Rex', species: 'dog' })).rejects.toMatchObject({
      reason: { code: 'sync/ahead' },
    });
  });

  it('leaves another player alone', async () => {
    const device = await join('guest:bob');
    server.homes.erase(ALICE);
    expect((await device.request('home:adopt', adopt('command-1'))).type).toBe('reply');
  });
});
