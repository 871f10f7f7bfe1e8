import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClientReply } from '../../../server/room/session/answer.ts';
import { Session } from '../../../server/room/session/session.ts';
import type { HomeMessages, Recipient } from '../../../server/room/session/session-options.ts';
import { describeThings, showIn } from '../../../server/room/show-home.ts';
import type { Clock } from '../../../server/runtime/clock.ts';
import { ManualClock } from '../../../server/runtime/manual-clock.ts';
import { HomeState } from '../../../shared/home-state.ts';
import type { Command, HomeEvent, Reply, SyncReply } from '../../../shared/pets/protocol.ts';
import type { Rejection } from '../../../shared/protocol.ts';
import { FakeHomes } from '../../support/game/fake-homes.ts';

const PLAYER = 'guest:a';
/** Always accepted, with one event. */
const give: Command = { type: 'home:grant', items: { 'dog-food': 1 }, reason: 'test' };

interface Frame {
  readonly kind: 'push' | 'reply' | 'rejection' | 'unknown';
  readonly events: readonly HomeEvent[];
  readonly truncated?: boolean;
  readonly code?: string;
}

/** One device: what reached it, in order, over all of its connections. */
class Device {
  readonly frames: Frame[] = [];
  readonly session: Session;
  /** `seq` of the state when each frame came. */
  readonly stateSeqs: number[] = [];
  stateSeq = 0;
  #connection: Recipient | undefined = this.#connect();

  constructor(homes: FakeHomes, limit = 1000, clock: Pick<Clock, 'after'> = new ManualClock(0)) {
    this.session = new Session({
      playerId: PLAYER,
      homes,
      recipient: () => this.#connection,
      page: { limit, maxBytes: 1_000_000 },
      describe: describeThings(homes.modules),
      clock,
      onFault: () => undefined,
    });
  }

  readonly show = ({ seq }: { readonly seq: number }): void => {
    this.stateSeq = Math.max(this.stateSeq, seq);
  };

  drop(): void {
    this.#connection = undefined;
  }

  async reconnect(): Promise<void> {
    if (this.#connection) return;
    this.#connection = this.#connect();
    await this.session.catchUp();
  }

  async order(commandId: string, command: Command = give): Promise<void> {
    const connection = this.#connection;
    if (!connection) return;
    const frame = (kind: Frame['kind'], events: readonly HomeEvent[], code?: string): void =>
      this.#receive(connection, { kind, events, ...(code === undefined ? {} : { code }) });
    const answer: ClientReply<Reply> = {
      accept: (reply) => frame('reply', reply.events),
      refuse: (rejection) => frame('rejection', [], rejection.code),
      fail: () => frame('unknown', []),
    };
    await this.session.command({ playerId: PLAYER, commandId, command }, answer, connection);
  }

  async sync(afterSeq: number): Promise<SyncReply | Rejection> {
    const connection = this.#connection;
    if (!connection) throw new Error('not connected');
    const { promise, resolve } = Promise.withResolvers<SyncReply | Rejection>();
    const answer = { accept: resolve, refuse: resolve, fail: () => undefined };
    await this.session.sync({ afterSeq }, answer, connection);
    return promise;
  }

  get events(): readonly HomeEvent[] {
    return this.frames.flatMap((frame) => frame.events);
  }

  #connect(): Recipient {
    const connection: Recipient = {
      send: (type, message) => {
        if (type === 'home:rejected') {
          this.#receive(connection, {
            kind: 'rejection',
            events: [],
            code: (message as HomeMessages['home:rejected']).code,
          });
        }
        if (type === 'home:events') {
          this.#receive(connection, { kind: 'push', ...(message as HomeMessages['home:events']) });
        }
      },
    };
    return connection;
  }

  #receive(connection: Recipient, frame: Frame): void {
    if (connection !== this.#connection) return;
    this.frames.push(frame);
    this.stateSeqs.push(this.stateSeq);
  }
}

const seqs = (events: readonly HomeEvent[]): number[] => events.map((event) => event.seq);
const upTo = (count: number, from = 1): number[] => Array.from({ length: count - from + 1 }, (_, at) => from + at);

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Until nothing is scheduled and what was has had its effects. */
const idle = async (scheduler: fc.Scheduler): Promise<void> => {
  do {
    await scheduler.waitAll();
    await turn();
  } while (scheduler.count() > 0);
};

const opened = async (homes: FakeHomes, since = {}, limit?: number, clock?: Pick<Clock, 'after'>): Promise<Device> => {
  const device = new Device(homes, limit, clock);
  await device.session.open(since, device.show);
  return device;
};

/** A device that lacks an event, while the log cannot be read. */
const unreadable = async () => {
  const homes = new FakeHomes();
  const clock = new ManualClock(0);
  const device = await opened(homes, {}, 1000, clock);
  homes.elsewhere(PLAYER, [give]);
  homes.before = (act) => (act === 'sync' ? Promise.reject(new Error('the store is down')) : undefined);
  return { homes, clock, device };
};

describe('the order on a connection', () => {
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ act: fc.constant('order' as const), device: fc.nat(1), id: fc.nat(30) }) },
    {
      weight: 2,
      arbitrary: fc.record({ act: fc.constant('elsewhere' as const), times: fc.integer({ min: 1, max: 3 }) }),
    },
    { weight: 1, arbitrary: fc.record({ act: fc.constant('nudge' as const) }) },
    {
      weight: 1,
      arbitrary: fc.record({ act: fc.constant('reads fail' as const), times: fc.integer({ min: 1, max: 3 }) }),
    },
    { weight: 1, arbitrary: fc.record({ act: fc.constant('drop' as const), device: fc.nat(1) }) },
    { weight: 1, arbitrary: fc.record({ act: fc.constant('reconnect' as const), device: fc.nat(1) }) },
    { weight: 5, arbitrary: fc.record({ act: fc.constant('go on' as const), turns: fc.integer({ min: 1, max: 4 }) }) },
  );

  it(
    'brings every event once and in order, whatever carries it, and never before the state that has it',
    () =>
      fc.assert(
        fc.asyncProperty(fc.scheduler(), fc.array(step, { maxLength: 40 }), async (scheduler, steps) => {
          const homes = new FakeHomes();
          const after: Clock['after'] = (_delayMs, callback) => {
            let isStopped = false;
            void scheduler.schedule(Promise.resolve(), 'after').then(() => isStopped || callback());
            return () => {
              isStopped = true;
            };
          };
          const devices = [await opened(homes, {}, 1000, { after }), await opened(homes, {}, 1000, { after })] as const;
          let failing = 0;
          homes.before = async (act) => {
            await scheduler.schedule(Promise.resolve(), act);
            if (act === 'sync' && failing-- > 0) throw new Error('the store is down');
          };
          const running: Promise<void>[] = [];
          for (const [at, next] of steps.entries()) {
            if (next.act === 'order') running.push(devices[next.device === 0 ? 0 : 1].order(`command-${next.id}`));
            if (next.act === 'elsewhere') homes.elsewhere(PLAYER, Array(next.times).fill(give));
            if (next.act === 'nudge') homes.nudge(PLAYER);
            if (next.act === 'reads fail') failing = next.times;
            if (next.act === 'drop') devices[next.device === 0 ? 0 : 1].drop();
            if (next.act === 'reconnect') running.push(devices[next.device === 0 ? 0 : 1].reconnect());
            for (let turn = 0; next.act === 'go on' && turn < next.turns && scheduler.count() > 0; turn++) {
              await scheduler.waitOne();
            }
            if (at === steps.length - 1) running.push(devices[0].reconnect(), devices[1].reconnect());
          }
          await idle(scheduler);
          await Promise.all(running);
          failing = 0;
          homes.nudge(PLAYER);
          await idle(scheduler);
          for (const device of devices) {
            let last = 0;
            device.frames.forEach((frame, at) => {
              const fresh = seqs(frame.events).filter((seq) => seq > last);
              expect(fresh).toEqual(upTo(last + fresh.length, last + 1));
              if (frame.kind === 'push') expect(frame.events).toHaveLength(fresh.length);
              expect(device.stateSeqs[at]).toBeGreaterThanOrEqual(last + fresh.length);
              last += fresh.length;
            });
            expect(last).toBe(homes.log(PLAYER).length);
          }
        }),
        { numRuns: 300 },
      ),
    60_000,
  );

  it('answers every command of a client that stays', () =>
    fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.array(fc.nat(8), { maxLength: 20 }), async (scheduler, ids) => {
        const homes = new FakeHomes();
        const device = await opened(homes);
        homes.before = (act) => scheduler.schedule(Promise.resolve(), act);
        const running = ids.map((id) => device.order(`command-${id}`));
        homes.elsewhere(PLAYER, [give]);
        await idle(scheduler);
        await Promise.all(running);
        expect(device.frames.filter((frame) => frame.kind !== 'push')).toHaveLength(ids.length);
      }),
      { numRuns: 100 },
    ));
});

describe('a client that joins', () => {
  it('is told nothing old without a cursor', async () => {
    const homes = new FakeHomes();
    homes.elsewhere(PLAYER, [give, give]);

    const device = await opened(homes);
    await device.order('command-1');

    expect(seqs(device.events)).toEqual([4]);
  });

  it('is told first what it missed', async () => {
    const homes = new FakeHomes();
    homes.elsewhere(PLAYER, [give, give]);

    const device = await opened(homes, { afterSeq: 1, epoch: homes.epoch });
    await device.order('command-1');

    expect(device.frames.map((frame) => [frame.kind, ...seqs(frame.events)])).toEqual([
      ['push', 2, 3],
      ['reply', 4],
    ]);
  });

  it('is told what it missed when the log could not be read, without another commit', async () => {
    const homes = new FakeHomes();
    const clock = new ManualClock(0);
    homes.elsewhere(PLAYER, [give, give]);
    homes.before = (act) => (act === 'sync' ? Promise.reject(new Error('the store is down')) : undefined);
    const device = await opened(homes, { afterSeq: 1, epoch: homes.epoch }, 1000, clock);
    expect(device.events).toEqual([]);
    homes.before = () => undefined;

    clock.advance(1_000);
    await turn();
    await turn();

    expect(seqs(device.events)).toEqual([2, 3]);
  });

  it.each<[string, (device: Device, homes: FakeHomes) => unknown, readonly number[]]>([
    ['without news', () => undefined, [2, 3]],
    ['after a commit without events', (_, homes) => homes.nudge(PLAYER), [2, 3]],
    ['after a commit while it was away', (device, homes) => [device.drop(), homes.nudge(PLAYER)], [2, 3]],
    ['unless newer events have left', (device) => device.order('command-1'), [4]],
    ['unless it read its log', (device) => device.sync(1), []],
  ])('is told what it missed when its home could not be loaded, %s', async (_, happen, told) => {
    const homes = new FakeHomes();
    homes.elsewhere(PLAYER, [give, give]);
    homes.before = () => Promise.reject(new Error('the store is down'));
    const device = new Device(homes);
    await expect(device.session.open({ afterSeq: 1, epoch: homes.epoch })).rejects.toThrow('the store is down');
    homes.before = () => undefined;
    await happen(device, homes);

    await device.reconnect();
    await device.session.catchUp();

    expect(seqs(device.events)).toEqual(told);
  });

  it('is told that its cursor has another epoch when it comes back', async () => {
    const homes = new FakeHomes();
    const device = new Device(homes);
    const look = Promise.withResolvers<void>();
    homes.before = () => look.promise;
    const opening = device.session.open({ afterSeq: 1, epoch: 'another' });
    device.drop();
    look.resolve();
    await opening;
    expect(device.frames).toEqual([]);

    await device.reconnect();
    await device.session.catchUp();

    expect(device.frames).toMatchObject([{ kind: 'rejection', code: 'sync/ahead' }]);
  });

  it('misses nothing that happens while its home is being loaded', async () => {
    const homes = new FakeHomes();
    const other = await opened(homes);
    const device = new Device(homes);
    homes.before = async (act) => {
      if (act !== 'look') return;
      homes.before = () => undefined;
      await other.order('command-1');
    };

    await device.session.open({ afterSeq: 0 }, device.show);

    expect(seqs(device.events)).toEqual([1, 2]);
  });

  it.each([
    ['is beyond the log', { afterSeq: 9 }],
    ['is of another life of the database', { afterSeq: 1, epoch: 'epoch-0' }],
  ])('is refused a cursor that %s, and starts anew', async (_why, since) => {
    const homes = new FakeHomes();
    homes.elsewhere(PLAYER, [give]);

    const device = await opened(homes, since);
    await device.order('command-1');

    expect(device.frames.map((frame) => [frame.kind, frame.code, ...seqs(frame.events)])).toEqual([
      ['rejection', 'sync/ahead'],
      ['reply', undefined, 3],
    ]);
  });

  it('gets a page of a long absence, pages on by itself, and goes on where that ends', async () => {
    const homes = new FakeHomes();
    homes.elsewhere(PLAYER, Array(7).fill(give));

    const device = await opened(homes, { afterSeq: 0 }, 4);
    expect(device.frames).toMatchObject([{ kind: 'push', truncated: true }]);
    const page = (await device.sync(4)) as SyncReply;
    expect(seqs(page.events)).toEqual(upTo(8, 5));
    const other = await opened(homes);
    await other.order('command-1');

    expect(device.frames.map((frame) => seqs(frame.events))).toEqual([[1, 2, 3, 4], [9]]);
  });

  it('gets one page more with each commit when it does not page by itself, still in order', async () => {
    const homes = new FakeHomes();
    homes.elsewhere(PLAYER, Array(7).fill(give));
    const device = await opened(homes, { afterSeq: 0 }, 4);

    await device.order('command-1');
    await device.order('command-2');

    expect(device.frames.map((frame) => [frame.kind, frame.truncated, ...seqs(frame.events)])).toEqual([
      ['push', true, 1, 2, 3, 4],
      ['push', undefined, 5, 6, 7, 8],
      ['reply', undefined, 9],
      ['reply', undefined, 10],
    ]);
  });
});

it('goes on after a failed look: the commands of its client are answered', async () => {
  const homes = new FakeHomes();
  const device = new Device(homes);
  homes.before = (act) => (act === 'look' ? Promise.reject(new Error('the store is down')) : undefined);
  await expect(device.session.open({ afterSeq: 0 }, device.show)).rejects.toThrow('the store is down');
  homes.before = () => undefined;

  await device.order('command-1');

  expect(device.frames.map((frame) => [frame.kind, ...seqs(frame.events)])).toEqual([
    ['push', 1],
    ['reply', 2],
  ]);
});

describe('a commit that comes while the first look is under way', () => {
  const lookBeside = async (happens: (homes: FakeHomes, device: Device) => unknown) => {
    const homes = new FakeHomes();
    homes.elsewhere(PLAYER, Array(4).fill(give));
    const device = new Device(homes);
    const state = new HomeState();
    const look = homes.look.bind(homes);
    homes.look = async (playerIds) => {
      homes.look = look;
      const views = await look(playerIds);
      await happens(homes, device);
      return views;
    };
    const shown: number[] = [];
    const showNow = showIn(state, homes.catalogue, () => shown.push(state.seq));
    await device.session.open({ afterSeq: 0 }, showNow);
    return { device, state, shown };
  };

  it('is what the state shows, not the older home that the look has read', async () => {
    const { state, shown, device } = await lookBeside(() => undefined);
    expect([state.seq, shown]).toEqual([5, [5]]);
    const beside = await lookBeside(async (homes) => {
      homes.elsewhere(PLAYER, [give]);
      homes.nudge(PLAYER);
    });
    expect(beside.state.toJSON()).toMatchObject({ epoch: 'epoch-1', seq: 6 });
    expect(beside.device.frames.flatMap(({ events }) => seqs(events))).toEqual([1, 2, 3, 4, 5, 6]);
    expect(device.frames.flatMap(({ events }) => seqs(events))).toEqual([1, 2, 3, 4, 5]);
  });

  it('is shown after a first look that failed, and gives way to a new life', async () => {
    const homes = new FakeHomes();
    homes.elsewhere(PLAYER, Array(4).fill(give));
    const device = new Device(homes);
    const state = new HomeState();
    homes.before = (act) => (act === 'look' ? Promise.reject(new Error('the store is down')) : undefined);
    await expect(device.session.look(showIn(state, homes.catalogue))).rejects.toThrow('the store is down');
    homes.before = () => undefined;
    await device.order('command-1');
    expect(state.seq).toBe(6);
    homes.erase(PLAYER);
    await turn();
    await device.order('command-2');
    expect(state.toJSON()).toMatchObject({ epoch: 'epoch-1.1', seq: 2 });
  });

  it('is not shown once the player is erased', async () => {
    const { state } = await lookBeside(async (homes) => {
      homes.elsewhere(PLAYER, [give, give]);
      homes.nudge(PLAYER);
      homes.erase(PLAYER);
    });
    expect(state.toJSON()).toMatchObject({ epoch: 'epoch-1.1', seq: 0 });
  });
});

it('shows the home of the new life after an erasure, also to a client without things', async () => {
  const homes = new FakeHomes();
  homes.elsewhere(PLAYER, Array(4).fill(give));
  const device = new Device(homes);
  const state = new HomeState();
  await device.session.look(showIn(state, homes.catalogue));
  expect(state.seq).toBe(5);
  homes.erase(PLAYER);
  await turn();
  await device.order('command-1');
  expect(state.toJSON()).toMatchObject({ epoch: 'epoch-1.1', seq: 2 });
});

it('sends nothing of the old life after an erasure, though a page of its log is being read', async () => {
  const homes = new FakeHomes();
  homes.elsewhere(PLAYER, [give]);
  const device = await opened(homes);
  homes.elsewhere(PLAYER, Array(3).fill(give));
  const other = await opened(homes);
  const read = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  let first = true;
  const sync = homes.sync.bind(homes);
  homes.sync = async (...args) => {
    const page = await sync(...args);
    if (first) {
      first = false;
      begun.resolve();
      await read.promise;
    }
    return page;
  };
  await other.order('command-1');
  await begun.promise;
  homes.erase(PLAYER);
  read.resolve();
  await turn();
  await device.order('command-2');
  await other.order('command-3');
  expect(device.frames.map((frame) => [frame.kind, ...seqs(frame.events)])).toEqual([
    ['rejection'],
    ['push', 1],
    ['reply', 2],
    ['push', 3],
  ]);
});

describe('a command', () => {
  it('sent again gets the old answer, and the connection goes on where it was', async () => {
    const homes = new FakeHomes();
    const device = await opened(homes);

    await device.order('command-1');
    await device.order('command-2');
    await device.order('command-1');
    await device.order('command-3');

    expect(device.frames.map((frame) => seqs(frame.events)).slice(1)).toEqual([[2], [3], [2], [4]]);
  });

  it('of another device at once with the same id and another body brings no reply of that device', async () => {
    const homes = new FakeHomes();
    const [one, two] = [await opened(homes), await opened(homes)];

    await Promise.all([one.order('command-1'), two.order('command-1', { ...give, reason: 'other' })]);

    expect(one.frames.map((frame) => frame.code ?? frame.kind)).toEqual(['push', 'reply']);
    expect(two.frames.map((frame) => frame.code ?? frame.kind)).toEqual(['push', 'command/reused']);
  });

  it('repeated first of all by a client that asked for no old events brings its reply, and nothing that is older', async () => {
    const homes = new FakeHomes();
    homes.elsewhere(PLAYER, [give], 'command-1');
    homes.elsewhere(PLAYER, Array(5).fill(give));
    const device = new Device(homes);
    device.session.follow();

    await device.order('command-1');
    await device.order('command-2');

    expect(device.frames.map(({ kind, events }) => [kind, seqs(events)])).toEqual([
      ['reply', [2]],
      ['reply', [8]],
    ]);
  });

  it('sent a hundred times at once waits for its reply 64 times, and no longer than the client is there', async () => {
    for (const leaves of [false, true]) {
      const homes = new FakeHomes();
      const device = await opened(homes);
      const gate = Promise.withResolvers<void>();
      let handled = 0;
      homes.before = (act) => {
        if (act === 'handle') handled += 1;
        return act === 'handle' ? gate.promise : undefined;
      };
      const orders = Array.from({ length: 100 }, () => device.order('command-1'));
      expect(device.frames.map(({ code }) => code)).toEqual(Array(35).fill('rate/limited'));
      if (leaves) device.session.close();
      gate.resolve();
      await Promise.all(orders);
      expect(handled).toBe(leaves ? 1 : 65);
      expect(device.frames.filter(({ kind }) => kind === 'reply')).toHaveLength(leaves ? 0 : 65);
    }
  });

  it('sent twice at once with another body is refused the second time', async () => {
    const homes = new FakeHomes();
    const device = await opened(homes);

    await Promise.all([device.order('command-1'), device.order('command-1', { ...give, reason: 'other' })]);

    expect(device.frames.map((frame) => frame.code ?? frame.kind)).toEqual(['push', 'reply', 'command/reused']);
  });

  it('is answered before what followed it is told, also when that is heard of first', async () => {
    const homes = new FakeHomes();
    const device = await opened(homes);
    const committed = Promise.withResolvers<void>();
    homes.before = (act) => (act === 'handle' ? committed.promise : undefined);
    const answered = device.order('command-1');
    homes.elsewhere(PLAYER, [give], 'command-1');
    homes.elsewhere(PLAYER, [give, give]);
    homes.nudge(PLAYER);
    await turn();
    committed.resolve();
    await answered;
    await turn();

    expect(device.frames.map((frame) => [frame.kind, ...seqs(frame.events)])).toEqual([
      ['push', 1],
      ['reply', 2],
      ['push', 3, 4],
    ]);
  });

  it('is answered as unknown when the world fails, and the next one works', async () => {
    const homes = new FakeHomes();
    const device = await opened(homes);
    homes.before = () => Promise.reject(new Error('the store is down'));
    await device.order('command-1');
    homes.before = () => undefined;
    await device.order('command-1');

    expect(device.frames.map((frame) => frame.kind)).toEqual(['unknown', 'push', 'reply']);
  });

  it.each(['look', 'sync'])(
    'tells a client that came back while no %s was possible what it missed, without another commit',
    async (wanted) => {
      const homes = new FakeHomes();
      const clock = new ManualClock(0);
      const device = await opened(homes, {}, 1000, clock);
      device.drop();
      homes.elsewhere(PLAYER, [give]);
      homes.nudge(PLAYER);
      homes.before = (act) => (act === wanted ? Promise.reject(new Error('the store is down')) : undefined);
      await device.reconnect();
      for (let times = 0; times < 3; times += 1) {
        clock.advance(1_000);
        await turn();
      }
      expect(device.events).toEqual([]);
      homes.before = () => undefined;
      clock.advance(1_000);
      await turn();
      await turn();
      expect(seqs(device.events)).toEqual([1, 2]);
    },
  );

  it('waits for the events before it: a read of the log that fails is tried again', async () => {
    const { homes, clock, device } = await unreadable();
    await device.order('command-1');
    await device.order('command-2');
    await turn();
    expect(device.frames).toEqual([]);

    homes.before = () => undefined;
    clock.advance(250);
    await turn();

    expect(device.frames.map((frame) => [frame.kind, ...seqs(frame.events)])).toEqual([
      ['push', 1, 2],
      ['reply', 3],
      ['reply', 4],
    ]);
  });

  it('has an unknown outcome after six seconds without them, and its reply in order when it is sent again', async () => {
    const { homes, clock, device } = await unreadable();
    await device.order('command-1');
    for (let passedMs = 0; passedMs < 6_250; passedMs += 250) {
      await turn();
      clock.advance(250);
    }
    await turn();
    expect(device.frames.map(({ kind }) => kind)).toEqual(['unknown']);

    homes.before = () => undefined;
    await device.order('command-1');
    await turn();

    expect(device.frames.slice(1).map((frame) => [frame.kind, ...seqs(frame.events)])).toEqual([
      ['push', 1, 2],
      ['reply', 3],
    ]);
  });
});

it('tells a closed session nothing more', async () => {
  const homes = new FakeHomes();
  const device = await opened(homes);

  device.session.close();
  homes.elsewhere(PLAYER, [give]);
  homes.nudge(PLAYER);

  expect(homes.followersOf(PLAYER)).toBe(0);
  expect(device.frames).toEqual([]);
});
