import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Client as ClientOfRoom, definePlugins, defineRoom, defineServer, matchMaker, Room } from '@colyseus/core';
import { schema, t } from '@colyseus/schema';
import { WebSocketTransport } from '@colyseus/ws-transport';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Connection, followHome } from '../../client/follow/follow-home.ts';
import { systemClock } from '../../server/adapter/machine/system-clock.ts';
import { HostFault } from '../../server/home/model/faults.ts';
import type { OnRules } from '../../server/home/model/rules-in-force.ts';
import { HomePlugin } from '../../server/room/home-plugin.ts';
import { HomeState } from '../../shared/home-state.ts';
import type { Command } from '../../shared/pets/protocol.ts';
import { petsModules } from '../../testing/pets-engine.ts';
import { FakeSdk, rejected } from '../client/support/fake-sdk.ts';
import { ManualPlatform, settled } from '../client/support/manual-platform.ts';
import { FakeHomes } from '../support/game/fake-homes.ts';
import { Player, signIn } from '../support/game/player.ts';
import { openSocket, type Seat } from '../support/machine/raw-socket.ts';

const TownState = schema({ homes: t.map(HomeState) }, 'TownState');

const give: Command = { type: 'home:grant', items: { 'dog-food': 1 }, reason: 'test' };

let homes: FakeHomes;
let faults: string[];
/** What a room of the game waits for before it binds a state, and that it has done so. */
let skin: { readonly loaded: PromiseWithResolvers<void>; readonly bound: PromiseWithResolvers<void> };
let address: string;
let close: () => Promise<void>;

/** A game that was there before: a room of several players, with an `auth` of its own. */
const startTown = async (): Promise<void> => {
  homes = new FakeHomes();
  faults = [];
  skin = { loaded: Promise.withResolvers(), bound: Promise.withResolvers() };
  const plugin = (): HomePlugin =>
    new HomePlugin({
      homes,
      catalogue: homes.catalogue,
      modules: petsModules(),
      playerId: ({ user }: { readonly user: string }) => {
        if (user === 'of nobody') throw new Error('the game has no such user');
        return user === 'a number' ? (42 as never) : user;
      },
      limits: { joinMax: 200, joinBytes: 65_536 },
      frames: { joinMs: 2_000, framesPerSecond: 100 },
      clock: systemClock,
      onFault: (message, error) =>
        faults.push(error instanceof HostFault ? `${error.code}: ${error.message}` : `${message}: ${String(error)}`),
    });
  class TownRoom extends Room<{ state: InstanceType<typeof TownState> }> {
    override state = new TownState();
    override plugins = definePlugins([plugin()]);

    static override async onAuth(token: string) {
      return { user: token };
    }
  }
  class WatchedRoom extends TownRoom {
    override async onJoin(client: ClientOfRoom, options: { readonly shows?: boolean }): Promise<void> {
      if (!options.shows) return;
      const home = new HomeState();
      this.state.homes.set(client.sessionId, home);
      await this.plugins.kibble.bind(client, home);
    }

    override onUncaughtException(error: Error): void {
      faults.push(error.message);
    }
  }
  class CaughtRoom extends WatchedRoom {
    override onLeave(): void {}
    override onDispose(): void {}
  }
  class FieldsRoom extends TownRoom {
    override onLeave = (): void => {};
    override onDispose = (): void => {};
  }
  class ThrowsRoom extends TownRoom {
    override onLeave(): void {
      throw new Error('the game’s own database is away');
    }
  }
  class LateRoom extends TownRoom {
    override messages = {
      skin: async (client: ClientOfRoom): Promise<void> => {
        await skin.loaded.promise;
        await this.plugins.kibble.bind(client, new HomeState()).catch((error: Error) => faults.push(error.message));
        skin.bound.resolve();
      },
    };
  }
  class StuckRoom extends TownRoom {
    override onLeave(): Promise<void> {
      return skin.loaded.promise;
    }
  }
  class HailedRoom extends TownRoom {
    override maxMessagesPerSecond = 7_000;
    override messages = { hail: (client: ClientOfRoom, payload: unknown) => client.send('hailed', payload) };
  }
  class BareRoom extends Room {
    override plugins = definePlugins([plugin()]);
    static override onAuth = TownRoom.onAuth;
  }
  class DropRoom extends TownRoom {
    override onDrop(client: ClientOfRoom): void {
      this.allowReconnection(client, 20).catch(() => undefined);
    }
    override onReconnect = (client: ClientOfRoom): void => client.send('welcome', 'back');
  }
  class LeaveRoom extends TownRoom {
    override async onLeave(client: ClientOfRoom): Promise<void> {
      await this.allowReconnection(client, 20).catch(() => undefined);
    }
  }
  class HastyRoom extends TownRoom {
    protected readonly seconds: number = 20;
    override onLeave(client: ClientOfRoom): void {
      this.allowReconnection(client, this.seconds).catch(() => undefined);
    }
  }
  class BriefRoom extends HastyRoom {
    protected override readonly seconds = 0.1;
  }
  const kept = {
    drop: defineRoom(DropRoom),
    leave: defineRoom(LeaveRoom),
    hasty: defineRoom(HastyRoom),
    brief: defineRoom(BriefRoom),
  };
  matchMaker.controller.exposedMethods = ['joinOrCreate', 'reconnect'];
  const http = createServer();
  const server = defineServer({
    rooms: {
      town: defineRoom(TownRoom),
      watched: defineRoom(WatchedRoom),
      caught: defineRoom(CaughtRoom),
      fields: defineRoom(FieldsRoom),
      throws: defineRoom(ThrowsRoom),
      stuck: defineRoom(StuckRoom),
      late: defineRoom(LateRoom),
      hailed: defineRoom(HailedRoom),
      bare: defineRoom(BareRoom),
      ...kept,
    },
    // Without pings, which would end a client that is not there.
    transport: new WebSocketTransport({ server: http, pingInterval: 0 }),
    gracefullyShutdown: false,
    greet: false,
  });
  await server.listen(0, '127.0.0.1');
  address = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  close = () => server.gracefullyShutdown(false);
};

beforeEach(startTown);
afterEach(() => close());

const join = async (player: string, room = 'town', options: object = {}): Promise<Player> => {
  return Player.join(await signIn(address, player), options, room);
};
const adopt = (commandId: string) => ({ commandId, name: 'Rex', species: 'dog' });

describe('the plugin in a room of several players', () => {
  it('lets each follow the own home and nobody else', async () => {
    const [alice, bob] = [await join('alice'), await join('bob')];
    expect(alice.room.roomId).toBe(bob.room.roomId);

    const reply = await alice.request('home:adopt', adopt('command-1'));
    homes.elsewhere('bob', [give]);
    homes.nudge('bob');
    await bob.request('home:time', {});

    expect(reply).toMatchObject({ type: 'reply', message: { petId: 'alice~p2' } });
    expect(alice.seqs).toEqual([1, 2]);
    expect(bob.seqs).toEqual([]);
    homes.elsewhere('bob', [give]);
    homes.nudge('bob');
    expect((await bob.sawSeq(3)).type).toBe('home:events');
    expect(bob.seqs).toEqual([3]);
  });

  it('tells what was missed to who joins with a cursor', async () => {
    homes.elsewhere('alice', [give, give]);

    expect((await join('alice', 'town', { afterSeq: 1 })).seqs).toEqual([2, 3]);
  });

  it.each([{ things: 'yes' }, { afterSeq: Number.NaN, things: true }, { epoch: 'x'.repeat(3000), things: true }])(
    'rejects wrong options of a join, which succeeds: %j',
    async (options) => {
      const alice = await join('alice', 'town', { ...options, hat: 'red' });
      expect(alice.of('home:rejected')).toMatchObject([{ message: { code: 'command/invalid' } }]);
      expect((await join('bob', 'town', { hat: 5 })).of('home:rejected')).toEqual([]);
    },
  );

  it('makes no join fail, neither without a player id nor without a database', async () => {
    const nobody = await join('no player id');
    homes.before = () => Promise.reject(new Error('the store is down'));
    const alice = await join('alice', 'town', { afterSeq: 0 });
    homes.before = () => undefined;

    expect(await nobody.request('home:adopt', adopt('command-1'))).toMatchObject({
      type: 'rejection',
      message: { code: 'command/invalid' },
    });
    expect(await alice.request('home:adopt', adopt('command-2'))).toMatchObject({ type: 'reply' });
    expect(faults).not.toEqual([]);
  });

  it('shows its things to a client that joined without a database, before another commit', async () => {
    homes.before = () => Promise.reject(new Error('the store is down'));
    const alice = await join('alice', 'town', { things: true });
    expect(alice.of('home:things')).toEqual([]);
    homes.before = () => undefined;

    await expect.poll(() => alice.of('home:things'), { timeout: 10_000 }).toHaveLength(1);
  });

  it("names the game's playerId when it throws", async () => {
    await join('of nobody');
    expect(faults).not.toEqual([]);
    for (const fault of faults) expect(fault).toMatch(/^hook\/playerId: .*the game has no such user$/);
  });

  it('says of a playerId that is no text what it is', async () => {
    await join('a number');
    expect(faults).not.toEqual([]);
    for (const fault of faults) expect(fault).toContain('the player id is 42: it must be text');
  });

  it('lets go of a client that leaves', async () => {
    const alice = await join('alice');
    expect(homes.followersOf('alice')).toBe(1);

    await alice.room.leave();

    await expect.poll(() => homes.followersOf('alice')).toBe(0);
  });
});

describe('the plugin in a room with hooks of its own', () => {
  it('serves the first room of its class as well', async () => {
    const alice = await join('alice', 'watched');

    expect(await alice.request('home:adopt', adopt('command-1'))).toMatchObject({ type: 'reply' });
    homes.elsewhere('alice', [give]);
    homes.nudge('alice');
    await alice.sawSeq(3);
    expect(alice.seqs).toEqual([1, 2, 3]);
  });

  it.each(['caught', 'fields', 'throws'])('lets go of a client that leaves, and of the rules: %s', async (room) => {
    const printed = vi.spyOn(console, 'error').mockReturnValue();
    onTestFinished(() => printed.mockRestore());
    const listeners = new Set<unknown>();
    Object.assign(homes, {
      onRules: (listener: unknown) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    });
    const [alice, bob] = [await join('alice', room), await join('bob', room)];
    expect([homes.followersOf('alice'), homes.followersOf('bob'), listeners.size]).toEqual([1, 1, 1]);

    await alice.room.leave();
    await expect.poll(() => homes.followersOf('alice')).toBe(0);
    expect(homes.followersOf('bob')).toBe(1);

    await bob.room.leave();
    await expect.poll(() => [homes.followersOf('bob'), listeners.size]).toEqual([0, 0]);
  });

  it('lets go of a client whose onLeave does not return', async () => {
    const [alice] = [await join('alice', 'stuck'), await join('bob', 'stuck')];
    const timers = vi.spyOn(matchMaker.getLocalRoomById(alice.room.roomId).clock, 'setTimeout');
    const left = alice.room.leave();
    await vi.waitFor(() => expect(timers).toHaveBeenCalledWith(expect.any(Function), 30_000));
    expect(homes.followersOf('alice')).toBe(1);

    timers.mock.lastCall?.[0]();
    expect([homes.followersOf('alice'), homes.followersOf('bob')]).toEqual([0, 1]);
    skin.loaded.resolve();
    await left;
  });

  it('follows no client that left before the game bound its state', async () => {
    const [alice, bob] = [await join('alice', 'late'), await join('bob', 'late')];
    alice.room.send('skin' as never, {} as never);
    await alice.request('home:time', {});
    await alice.room.leave();
    await expect.poll(() => homes.followersOf('alice')).toBe(0);

    skin.loaded.resolve();
    await skin.bound.promise;

    expect(faults).toEqual(['only a client that is here and has a player id has a home to show']);
    expect([homes.followersOf('alice'), homes.followersOf('bob')]).toEqual([0, 1]);
    expect(await bob.request('home:adopt', adopt('command-1'))).toMatchObject({ type: 'reply' });
  });

  it('shows the home in a state that it was given', async () => {
    homes.elsewhere('alice', [give]);
    const alice = await join('alice', 'watched', { shows: true });
    await alice.request('home:adopt', adopt('command-1'));

    const state = alice.room.state as unknown as InstanceType<typeof TownState>;
    await expect
      .poll(() => state.homes.get(alice.room.sessionId)?.toJSON())
      .toMatchObject({
        playerId: 'alice',
        seq: 3,
        items: { 'dog-food': 11 },
        pets: { 'alice~p3': { name: 'Rex' } },
      });
    expect(faults).toEqual([]);
  });

  it('shows other levels there as soon as the rules have them', async () => {
    let changed: OnRules = () => undefined;
    const onRules = (listener: OnRules) => {
      changed = listener;
      return () => undefined;
    };
    Object.assign(homes, { onRules });
    const alice = await join('alice', 'watched', { shows: true });
    await alice.request('home:adopt', adopt('command-1'));
    const state = alice.room.state as unknown as InstanceType<typeof TownState>;
    const level = () => state.homes.get(alice.room.sessionId)?.pets.get('alice~p2')?.level;
    await expect.poll(level).toBe(1);

    Object.assign(homes.catalogue, { levels: [0, 0, 5] });
    changed([{ module: 'pets', version: 2 }]);

    await expect.poll(level).toBe(2);
  });
});

describe('the frames of a game’s own room', () => {
  const endOf = ({ room }: Player): Promise<number> => {
    room.reconnection.enabled = false;
    return new Promise((resolve) => room.onLeave(resolve));
  };
  const send = ({ room }: Player, ...bytes: readonly number[]): void => room.connection.send(Uint8Array.from(bytes));
  const hail = [0xa4, ...Buffer.from('hail')];

  it.each(['town', 'watched'])(
    'end a client that sends what cannot be read, without a word in the log: %s',
    async (room) => {
      const printed = vi.spyOn(console, 'error').mockReturnValue();
      for (const frame of [
        [13, ...hail, 0xc1],
        [13, 0xbf, 0xff],
        [21, 1, ...hail, 0x92, 1],
        [17, 0xd9, 200, 65],
      ]) {
        const alice = await join('alice', room);
        const ended = endOf(alice);
        send(alice, ...frame);
        expect(await ended).toBe(4002);
      }
      expect(printed).not.toHaveBeenCalled();
      printed.mockRestore();
    },
  );

  it('of the game’s own messages come as they were sent', async () => {
    const alice = await join('alice', 'hailed');
    const deep = {
      a: [[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]],
      bytes: new Uint8Array([1]),
      at: new Date(5),
      no: undefined,
    };
    const back = new Promise((resolve) => alice.room.onMessage('hailed' as never, resolve));
    alice.room.send('hail' as never, deep as never);
    expect(await back).toEqual(deep);
  });

  it('have a bound, and a room’s own bound stays', async () => {
    const [alice, bob] = [await join('alice'), await join('bob', 'hailed')];
    const boundOf = ({ room }: Player) => matchMaker.getLocalRoomById(room.roomId).maxMessagesPerSecond;
    expect([boundOf(alice), boundOf(bob)]).toEqual([100, 7_000]);
    const ended = endOf(alice);
    for (let n = 0; n < 300; n++) alice.room.send('home:time', undefined);
    expect(await ended).toBe(4002);
  });

  it.each(['town', 'watched'])('end a client that never acknowledges its join: %s', async (room) => {
    const headers = { Authorization: 'Bearer alice' };
    const seat = await fetch(`${address}/matchmake/joinOrCreate/${room}`, { method: 'POST', headers });
    const { socket } = await openSocket(address, (await seat.json()) as Seat);
    await once(socket.resume(), 'close');
  });
});

describe('followHome in a room of a game', () => {
  it.each(['bare', 'town'])(
    'is online in the room %s, and is told after a loss what happened meanwhile',
    async (room) => {
      const client = await signIn(address, 'ann');
      const joined: { leave(): Promise<number> }[] = [];
      const told: { readonly type: string; readonly isMissed: boolean }[] = [];
      const follower = followHome({
        client,
        join: async (since) => {
          // While there is no connection.
          if (joined.length > 0) homes.elsewhere('ann', [give]);
          const own = await client.joinOrCreate(room, since);
          joined.push(own);
          return own;
        },
        onEvents: (events, isMissed) => told.push(...events.map(({ type }) => ({ type, isMissed }))),
      });
      onTestFinished(() => follower.close());
      const { seq } = await follower.adopt('Rex', 'dog');
      expect(follower.cursor?.seq).toBe(seq);

      joined[0]?.leave();

      await vi.waitFor(() => expect(told.at(-1)).toEqual({ type: 'items-granted', isMissed: true }), 10_000);
      expect(told.filter(({ type }) => type === 'pet-adopted')).toHaveLength(1);
    },
  );

  it('asks for its things where the join has options of its own, and hears of each commit from then on', async () => {
    const client = await signIn(address, 'ann');
    homes.elsewhere('ann', [give]);
    const follower = followHome({ client, join: () => client.joinOrCreate('bare', {}) });
    onTestFinished(() => follower.close());
    const { petId = '', seq } = await follower.adopt('Rex', 'dog');
    expect(follower.home).toMatchObject({ seq, playerId: 'ann', items: { 'dog-food': 11 } });
    expect(follower.home?.things.pets?.[petId]?.state.name).toBe('Rex');
  });

  it('hears that the game’s own inventory is to blame while it waits for the next try', async () => {
    homes.before = () => Promise.reject(new HostFault('inventory/load', new Error('no column hero')));
    const client = await signIn(address, 'ann');
    const waits: (string | undefined)[] = [];
    const follower = followHome({
      client,
      join: (since) => client.joinOrCreate('town', since),
      onConnection: (connection) => connection.phase === 'waiting' && waits.push(connection.code),
    });
    onTestFinished(() => follower.close());

    await vi.waitFor(() => expect(waits[0]).toBe('inventory/refused'), 10_000);
    homes.before = () => undefined;
    await follower.adopt('Rex', 'dog');
    expect(follower.connection).toEqual({ phase: 'online' });
  });

  it('does not wait in silence in a room that knows no homes: it tries again, and says so', async () => {
    const platform = new ManualPlatform();
    const sdk = new FakeSdk(platform);
    sdk.answer = () => rejected('command/invalid');
    const told: Connection[] = [];
    const follower = followHome({ client: sdk, platform, onConnection: (connection) => told.push(connection) });
    await settled();
    await platform.pass(1);
    follower.close();
    expect(told).toMatchObject([{ phase: 'waiting', code: 'command/invalid' }, { phase: 'closed' }]);
  });
});

describe('in a room that keeps the places of dropped clients', () => {
  const dropped = async (room: string): Promise<{ device: Player; comeBack: () => Promise<void> }> => {
    const device = await join('alice', room);
    await device.request('home:adopt', adopt('command-1'));
    const { reconnection, connection } = device.room;
    reconnection.minUptime = 0;
    const gone = new Promise<void>((resolve) => device.room.onDrop(() => resolve()));
    const back = new Promise<void>((resolve) => device.room.onReconnect(() => resolve()));
    const mayComeBack = Promise.withResolvers<void>();
    const reconnect = connection.reconnect.bind(connection);
    connection.reconnect = (options) => void mayComeBack.promise.then(() => reconnect(options));
    connection.close();
    await gone;
    await vi.waitFor(() =>
      expect(matchMaker.getLocalRoomById(device.room.roomId).clients.get(device.room.sessionId)).toBeUndefined(),
    );
    const comeBack = async (): Promise<void> => {
      mayComeBack.resolve();
      await back;
    };
    return { device, comeBack };
  };

  it.each(['drop', 'leave', 'hasty'])(
    'a client that comes back is told what it missed, each event once: %s',
    async (room) => {
      const { device, comeBack } = await dropped(room);
      homes.elsewhere('alice', [give]);
      homes.nudge('alice');
      await comeBack();
      await device.sawSeq(3);
      homes.elsewhere('alice', [give]);
      homes.nudge('alice');
      await device.sawSeq(4);
      expect(device.seqs).toEqual([1, 2, 3, 4]);
      expect(await device.request('home:adopt', adopt('command-2'))).toMatchObject({ type: 'reply' });
      expect(device.seqs).toEqual([1, 2, 3, 4, 5]);
    },
  );

  it('the room’s own onReconnect is called as before', async () => {
    const { device, comeBack } = await dropped('drop');
    const welcome = new Promise((resolve) => device.room.onMessage('welcome' as never, resolve));
    await comeBack();
    expect(await welcome).toBe('back');
  });

  it('one that does not come back is followed no more, while the room goes on', async () => {
    const bob = await join('bob', 'brief');
    const { device } = await dropped('brief');
    expect(bob.room.roomId).toBe(device.room.roomId);
    await vi.waitFor(() => expect(homes.followersOf('alice')).toBe(0));
    expect(homes.followersOf('bob')).toBe(1);
  });
});
