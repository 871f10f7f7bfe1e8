import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Session } from '../../../server/room/session/session.ts';
import type { HomeMessages, Recipient } from '../../../server/room/session/session-options.ts';
import { describeThings } from '../../../server/room/show-home.ts';
import { ManualClock } from '../../../server/runtime/manual-clock.ts';
import { thingsOf } from '../../../shared/home.ts';
import type { Command, HomeEvent } from '../../../shared/pets/protocol.ts';
import type { ThingsMessage } from '../../../shared/protocol.ts';
import { FakeHomes } from '../../support/game/fake-homes.ts';
import { ShownThings } from '../../support/game/shown-things.ts';

const PLAYER = 'guest:a';
const adopt: Command = { type: 'home:adopt', name: 'Rex', species: 'dog' };
const give: Command = { type: 'home:grant', items: { 'dog-food': 1 }, reason: 'test' };
/** The pet that was adopted by the event of this `seq`. */
const release = (seq: number): Command => ({ type: 'home:release', petId: `${PLAYER}~p${seq}` });

/** A device that asked for things, over all of its connections. */
class Device {
  readonly shown = new ShownThings();
  readonly messages: ThingsMessage[] = [];
  readonly session: Session;
  /** Events that came before the things which they made. */
  readonly early: number[] = [];
  #connection: Recipient | undefined;

  constructor(homes: FakeHomes, maxBytes = 65_536) {
    this.session = new Session({
      playerId: PLAYER,
      homes,
      recipient: () => this.#connection,
      page: { limit: 1000, maxBytes },
      describe: describeThings(homes.modules),
      clock: new ManualClock(0),
      onFault: () => undefined,
    });
    this.connect();
  }

  connect(): void {
    this.shown.begin();
    const connection: Recipient = {
      send: (type, message) => {
        if (connection !== this.#connection) return;
        if (type === 'home:things') {
          this.messages.push(message as ThingsMessage);
          this.shown.take(message as ThingsMessage);
        }
        if (type === 'home:events') this.#hear((message as HomeMessages['home:events']).events);
      },
    };
    this.#connection = connection;
  }

  get isConnected(): boolean {
    return this.#connection !== undefined;
  }

  drop(): void {
    this.#connection = undefined;
  }

  async order(command: Command, commandId: string): Promise<void> {
    const connection = this.#connection;
    if (!connection) return;
    const answer = {
      // A connection that is gone hears nothing.
      accept: ({ events }: { readonly events: readonly unknown[] }) => {
        if (connection === this.#connection) this.#hear(events as readonly HomeEvent[]);
      },
      refuse: () => undefined,
      fail: () => undefined,
    };
    await this.session.command({ playerId: PLAYER, commandId, command }, answer, connection);
  }

  #hear(events: readonly HomeEvent[]): void {
    this.early.push(...events.map(({ seq }) => seq).filter((seq) => seq > (this.shown.seq ?? 0)));
  }
}

const opened = async (homes: FakeHomes, since = {}, maxBytes?: number): Promise<Device> => {
  const device = new Device(homes, maxBytes);
  await device.session.open({ things: true, ...since });
  return device;
};

const sameAs = async (homes: FakeHomes, { shown }: Device): Promise<void> => {
  homes.before = () => undefined;
  const [view] = await homes.look([PLAYER]);
  expect(shown.seq).toBe(view?.home.seq);
  expect(shown.epoch).toBe(view?.epoch);
  expect(shown.items).toEqual(view?.home.items);
  expect(shown.of('pets')).toEqual({ ...thingsOf(view?.home ?? { things: {} }, 'pets') });
};

describe('the things of a home', () => {
  const command = fc.oneof(fc.constant(adopt), fc.constant(give), fc.integer({ min: 2, max: 20 }).map(release));
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ act: fc.constant('order' as const), command, id: fc.nat(30) }) },
    { weight: 2, arbitrary: fc.record({ act: fc.constant('elsewhere' as const), command }) },
    { weight: 1, arbitrary: fc.record({ act: fc.constantFrom('nudge', 'drop', 'reconnect', 'ask', 'erase') }) },
    { weight: 5, arbitrary: fc.record({ act: fc.constant('go on' as const) }) },
  );

  it(
    'are at the client what they are at the server, whatever happens on the way, and before the events that made them',
    () =>
      fc.assert(
        fc.asyncProperty(fc.scheduler(), fc.array(step, { maxLength: 40 }), async (scheduler, steps) => {
          const homes = new FakeHomes();
          const device = await opened(homes);
          homes.before = () => scheduler.schedule(Promise.resolve());
          const running: Promise<unknown>[] = [];
          const reconnect = (): void => {
            if (device.isConnected) return;
            device.connect();
            running.push(device.session.catchUp());
          };
          for (const next of steps) {
            if ('command' in next && 'id' in next) running.push(device.order(next.command, `command-${next.id}`));
            else if ('command' in next) homes.elsewhere(PLAYER, [next.command]);
            if (next.act === 'nudge') homes.nudge(PLAYER);
            if (next.act === 'drop') device.drop();
            if (next.act === 'reconnect') reconnect();
            if (next.act === 'ask') running.push(device.session.sendThings());
            if (next.act === 'erase') homes.erase(PLAYER);
            if (next.act === 'go on' && scheduler.count() > 0) await scheduler.waitOne();
          }
          reconnect();
          await scheduler.waitIdle();
          await Promise.all(running);
          // Of what another process did this one hears with the next commit.
          homes.nudge(PLAYER);
          await scheduler.waitIdle();
          await sameAs(homes, device);
          if (!steps.some(({ act }) => act === 'erase')) expect(device.early).toEqual([]);
        }),
        { numRuns: 300 },
      ),
    60_000,
  );

  it('come all at a join, then those that a commit touched', async () => {
    const homes = new FakeHomes();
    homes.elsewhere(PLAYER, [adopt, adopt]);
    const device = await opened(homes);
    await device.order(adopt, 'command-1');
    await device.order(release(2), 'command-2');
    const ids = device.messages.map(({ things, gone }) => [things.map(({ id }) => id), gone.map(({ id }) => id)]);
    expect(ids).toEqual([
      [[`${PLAYER}~p2`, `${PLAYER}~p3`], []],
      [[`${PLAYER}~p4`], []],
      [[], [`${PLAYER}~p2`]],
    ]);
    expect(device.messages.map(({ snapshot }) => snapshot)).toEqual([
      { playerId: PLAYER, epoch: 'epoch-1' },
      undefined,
      undefined,
    ]);
    expect(device.messages[1]?.things[0]).toMatchObject({
      module: 'pets',
      version: 1,
      dueAt: 0,
      state: { name: 'Rex' },
    });
  });

  it('come in parts that fit, of which only the last one says that it is all', async () => {
    const homes = new FakeHomes();
    homes.elsewhere(PLAYER, Array(6).fill(adopt));
    const device = await opened(homes, {}, 200);
    expect(device.messages.length).toBeGreaterThan(2);
    for (const { things } of device.messages) expect(JSON.stringify(things).length).toBeLessThanOrEqual(210);
    expect(device.messages.map(({ more }) => more === true)).toEqual(
      device.messages.map((_, at) => at < device.messages.length - 1),
    );
    await sameAs(homes, device);
  });

  it('are not told to a client that did not ask for them', async () => {
    const homes = new FakeHomes();
    const device = await opened(homes, { things: undefined });
    await device.order(adopt, 'command-1');
    expect(device.messages).toEqual([]);
    await device.session.sendThings();
    await device.order(adopt, 'command-2');
    expect(device.messages.map(({ snapshot }) => snapshot !== undefined)).toEqual([true, false]);
  });
});
