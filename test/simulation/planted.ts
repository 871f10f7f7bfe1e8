import { fold } from '../../server/domain/evolve.ts';
import type { HomeChange, HomeStore } from '../../server/home/model/home-store.ts';
import { addItems } from '../../shared/items.ts';
import { PETS, type Pet, petsOf } from '../../shared/pets/pet.ts';
import type { ToldEvent } from '../chaos/evidence/evidence.ts';
import { sabotagedIndex } from '../support/engine/sabotaged.ts';
import { modules } from './history.ts';
import type { Sabotage } from './world/sim-world.ts';

/** A fault with the histories that bring it to light. */
export interface Planted {
  readonly name: string;
  readonly histories: 'calm' | 'kind' | 'emptied' | 'rough';
  readonly sabotage: Sabotage;
}

/** The rules, but for one thing about what they change. */
const withChanges = (change: (change: HomeChange, nowMs: number) => HomeChange): Sabotage => ({
  homes: (homes): HomeStore => ({
    ...bound(homes),
    change: (request, decide) =>
      homes.change(request, (loaded) => {
        const { changes, value } = decide(loaded);
        return { changes: changes.map((each) => change(each, loaded.nowMs)), value };
      }),
  }),
});

const bound = (homes: HomeStore): HomeStore => ({
  change: (request, decide) => homes.change(request, decide),
  changeIn: (tx, request, decide) => homes.changeIn(tx, request, decide),
  whole: (tx, work) => homes.whole(tx, work),
  events: (playerId, afterSeq, limit) => homes.events(playerId, afterSeq, limit),
  newestSeqs: (playerIds) => homes.newestSeqs(playerIds),
  epoch: () => homes.epoch(),
  nowMs: () => homes.nowMs(),
});

/** Log and rows agree with each other about the wrong thing. */
const withEvents = (change: (event: ToldEvent, nowMs: number) => ToldEvent): Sabotage =>
  withChanges((each, nowMs) => {
    const events = (each.events as readonly ToldEvent[]).map((event) => change(event, nowMs));
    return { ...each, events, after: fold(modules, each.before, events as never) };
  });

const withPets = (change: (pet: Pet) => Pet): Sabotage =>
  withChanges((each) => {
    const pets = Object.fromEntries(petsOf(each.after).map((pet) => [pet.petId, change(pet)]));
    return { ...each, after: { ...each.after, things: { ...each.after.things, [PETS]: pets } } };
  });

/** A field of the command is not read. */
const without = (field: string): Sabotage => ({
  hears: (command) => Object.fromEntries(Object.entries(command).filter(([name]) => name !== field)),
});

export const planted: readonly Planted[] = [
  {
    name: 'a card that costs nothing',
    histories: 'calm',
    sabotage: withEvents((event) => (event.type === 'card-used' ? { ...event, items: {} } : event)),
  },
  {
    name: 'a card that is lost when it comes back',
    histories: 'calm',
    sabotage: withEvents((event) => (event.type === 'auto-feed-disarmed' ? { ...event, items: {} } : event)),
  },
  {
    name: 'a completion one millisecond after its due time',
    histories: 'calm',
    sabotage: withEvents((event) => (event.type === 'feeding-completed' ? { ...event, at: event.at + 1 } : event)),
  },
  {
    name: 'a completion at the time of whoever looks',
    histories: 'calm',
    sabotage: withEvents((event, nowMs) => (event.type === 'feeding-completed' ? { ...event, at: nowMs } : event)),
  },
  {
    name: 'a chain that goes on when somebody looks',
    histories: 'calm',
    sabotage: withEvents((event, nowMs) =>
      event.type === 'feeding-started' && event.by === 'card' ? { ...event, at: nowMs } : event,
    ),
  },
  {
    name: 'a harvest at the time of whoever looks',
    histories: 'calm',
    sabotage: withEvents((event, nowMs) => (event.type === 'field/ripened' ? { ...event, at: nowMs } : event)),
  },
  {
    name: 'a harvest for nothing',
    histories: 'calm',
    sabotage: withEvents((event) => (event.type === 'field/sown' ? { ...event, items: {} } : event)),
  },
  {
    name: 'an armed card that is never used up',
    histories: 'calm',
    sabotage: withPets((pet) => ({ ...pet, armed: pet.armed.map((armed) => ({ ...armed, left: armed.left + 1 })) })),
  },
  {
    name: 'experience twice',
    histories: 'calm',
    sabotage: withEvents((event) =>
      event.type === 'feeding-completed' ? { ...event, xp: event.xp * 2, totalXp: event.totalXp + event.xp } : event,
    ),
  },
  {
    name: 'a gap in seq',
    histories: 'calm',
    sabotage: withEvents((event) => (event.type === 'pet-adopted' ? { ...event, seq: event.seq + 1 } : event)),
  },
  {
    name: 'stock that is not written',
    histories: 'calm',
    sabotage: withChanges((each) => ({
      ...each,
      after: { ...each.after, items: addItems(each.before.items, {}) },
    })),
  },
  { name: 'a card that is played on whatever eats now', histories: 'calm', sabotage: without('feedingId') },
  { name: 'a card that wastes what it must not', histories: 'calm', sabotage: without('maxWastedMs') },
  { name: 'one card for two', histories: 'calm', sabotage: without('count') },
  { name: 'homes that are not locked', histories: 'rough', sabotage: { store: 'no locks' } },
  { name: 'commands that are not remembered', histories: 'rough', sabotage: { store: 'forgets commands' } },
  { name: 'timers in a transaction of their own', histories: 'rough', sabotage: { store: 'timers apart' } },
  { name: 'rules of the start, for ever', histories: 'calm', sabotage: { store: 'old rules' } },
  { name: 'the clock of the process', histories: 'rough', sabotage: { store: 'own clock' } },
  { name: 'timers that do not end', histories: 'calm', sabotage: { store: 'never ends' } },
  { name: 'timers that are not moved', histories: 'calm', sabotage: { store: 'never moves' } },
  { name: 'an effect outside the transaction of its timer', histories: 'calm', sabotage: { rows: 'effects apart' } },
  {
    name: 'timers of a transaction that was rolled back',
    histories: 'calm',
    sabotage: { rows: 'ignores transactions' },
  },
  { name: 'wake-ups that nobody hears', histories: 'calm', sabotage: { isDeaf: true } },
  { name: 'no sweeper', histories: 'rough', sabotage: { noSweeper: true } },
  {
    name: 'a hand-off that drops what it takes',
    histories: 'calm',
    sabotage: {
      noSweeper: true,
      index: (index) =>
        sabotagedIndex(index, {
          queue: {
            receive: async (limit, waitMs, signal) => {
              const [dropped, ...received] = await index.queue.receive(limit, waitMs, signal);
              if (dropped) await index.queue.ack([dropped]);
              return received;
            },
          },
        }),
    },
  },
  {
    name: 'an ack before the commit',
    histories: 'kind',
    sabotage: {
      noSweeper: true,
      index: (index) =>
        sabotagedIndex(index, {
          queue: {
            receive: async (limit, waitMs, signal) => {
              const received = await index.queue.receive(limit, waitMs, signal);
              if (received.length > 0) await index.queue.ack(received);
              return received;
            },
          },
        }),
    },
  },
  {
    name: 'no reclaim',
    histories: 'kind',
    sabotage: { noSweeper: true, index: (index) => sabotagedIndex(index, { queue: { reclaim: async () => [] } }) },
  },
  {
    name: 'a dead node that keeps its shards',
    histories: 'kind',
    sabotage: {
      noSweeper: true,
      nodes: (nodes) => {
        const everSeen = new Set<string>();
        const heartbeat = async () => {
          for (const node of await nodes.heartbeat()) everSeen.add(node);
          return [...everSeen];
        };
        return { ...nodes, heartbeat };
      },
    },
  },
  {
    name: 'an index that never says that it was lost',
    histories: 'emptied',
    sabotage: {
      noSweeper: true,
      index: (index) => {
        let wasWhole = false;
        const isWhole = async (pulse: number) => {
          wasWhole ||= await index.marks.isWhole(pulse);
          return wasWhole;
        };
        return sabotagedIndex(index, { marks: { isWhole } });
      },
    },
  },
];
