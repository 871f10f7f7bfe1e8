import fc from 'fast-check';
import type { Home } from '../shared/home.ts';
import type { Catalogue } from '../shared/pets/catalogue.ts';
import { dueOf } from '../shared/pets/feeding.ts';
import { autoFeedsOf, petOf, petsOf } from '../shared/pets/pet.ts';
import type { HomeEvent } from '../shared/pets/protocol.ts';
import { restate } from '../shared/work.ts';
import { type CommandSketch, commandOf, type History } from './arbitraries.ts';
import { hold, same } from './claims.ts';
import { type Law, law } from './law.ts';
import { fold, judge, settle, settleSome } from './pets-engine.ts';
import { play } from './play.ts';

/** Laws of each feeding's time, under any rules. */
export const lawsOfTime: readonly Law[] = [
  law(
    'no card moves a due time later',
    ({ catalogue, history }) => [catalogue, history],
    (_world, catalogue, history) => {
      for (const { before, nowMs, judgement } of play(catalogue, history).turns) {
        const [card] = judgement.decision.ok ? judgement.decision.value : [];
        if (card?.type !== 'card-used') continue;
        const pet = petOf(fold(before, judgement.settled), card.petId);
        const due = pet && dueOf(pet);
        hold(due !== undefined && card.dueAt <= due && card.dueAt >= nowMs);
        if (card.effect === 'repeat') same(card.dueAt, due);
      }
    },
  ),

  law(
    'no boost is made to last longer than the rules allow',
    ({ catalogue, history }) => [catalogue, history],
    (_world, catalogue, history) => {
      for (const { judgement, nowMs } of play(catalogue, history).turns) {
        const [card] = judgement.decision.ok ? judgement.decision.value : [];
        if (card?.type !== 'card-used' || card.boostEndsAt === undefined) continue;
        hold(card.boostEndsAt - nowMs <= catalogue.limits.boostMs);
      }
    },
  ),

  law(
    'restating a feeding at any moment before it is due never moves its due time',
    ({ catalogue, history }) => [catalogue, history, fc.nat()],
    (_world, catalogue, history, moment) => {
      const { home } = play(catalogue, history);
      for (const pet of petsOf(home)) {
        const due = dueOf(pet);
        if (!pet.feeding || due === undefined) continue;
        const { work } = pet.feeding;
        const atMs = work.sinceAtMs + (moment % (due - work.sinceAtMs));
        same(dueOf({ ...pet, feeding: { ...pet.feeding, work: restate(work, pet.boost, atMs) } }), due);
      }
    },
  ),

  law(
    'a feeding completes exactly at the due time that was last announced',
    ({ catalogue, history }) => [catalogue, history],
    ({ restMs }, catalogue, history) => {
      const announced = new Map<string, number>();
      for (const event of play(catalogue, history, { restMs }).log) {
        if (event.type === 'feeding-completed') same(event.at, announced.get(event.feedingId));
        if (!('dueAt' in event)) continue;
        announced.set(event.feedingId, event.dueAt);
        hold(event.dueAt >= event.at);
      }
    },
  ),

  law(
    'cards of one instant, none of which ends the feeding, commute',
    ({ catalogue, history }) => [catalogue, history, shuffledCards],
    ({ unitMs }, own, history, cards) => {
      const ends = inBothOrders(own, history, cards, unitMs);
      if (ends) same(ends[0], ends[1]);
    },
  ),

  law(
    'settling in any chunks gives the same log, also when the catalogue changes in between',
    ({ catalogue, laterCatalogue, history, unitMs }) => [
      catalogue,
      laterCatalogue,
      history,
      fc.array(fc.nat(150 * unitMs), { maxLength: 30 }),
    ],
    ({ restMs }, catalogue, laterCatalogue, history, looksAfterMs) => {
      const once = play(catalogue, history, { laterCatalogue, restMs });
      const often = play(catalogue, history, { laterCatalogue, restMs, looksAfterMs });
      same(often.log, once.log);
      same(often.rested, once.rested);
    },
  ),

  law(
    'settling slice by slice, however large each is and whenever it comes, gives the log of settling at once',
    ({ catalogue, history, unitMs }) => [
      catalogue,
      history,
      fc.array(fc.record({ maxEvents: fc.integer({ min: 1, max: 5 }), afterMs: fc.nat(40 * unitMs) }), {
        minLength: 1,
        maxLength: 6,
      }),
    ],
    (_world, catalogue, history, slices) => {
      const { home, turns } = play(catalogue, history);
      let nowMs = turns.at(-1)?.nowMs ?? 0;
      const log: HomeEvent[] = [];
      let sliced = home;
      for (let at = 0, isOver = false; !isOver; at++) {
        const { maxEvents, afterMs } = slices[Math.min(at, slices.length - 1)] ?? { maxEvents: 1, afterMs: 0 };
        if (at < slices.length) nowMs += afterMs;
        const { events, isSettled } = settleSome(sliced, nowMs, maxEvents);
        hold(isSettled || (events.length >= maxEvents && events.length <= maxEvents + 1));
        log.push(...events);
        sliced = fold(sliced, events);
        isOver = isSettled && at >= slices.length;
      }
      same(log, settle(home, nowMs));
    },
  ),

  law(
    'a home that was settled has nothing to settle',
    ({ catalogue, history, unitMs }) => [catalogue, history, fc.nat(50 * unitMs)],
    (_world, catalogue, history, laterMs) => {
      const { turns, home } = play(catalogue, history);
      const lastMs = turns.at(-1)?.nowMs ?? 0;
      same(settle(home, lastMs), []);
      const settled = fold(home, settle(home, lastMs + laterMs));
      same(settle(settled, lastMs + laterMs), []);
      same(settle(settled, 0), []);
    },
  ),

  law(
    'no clock that goes back lets an event be dated before the newest one',
    ({ catalogue, history, unitMs }) => [catalogue, history, fc.nat(2000 * unitMs)],
    ({ restMs }, catalogue, history, nowMs) => {
      const { rested } = play(catalogue, history, { restMs });
      const [item] = [...Object.keys(catalogue.foods), ...Object.keys(catalogue.cards)];
      if (item === undefined) return;
      const items = { [item]: 1 };
      const asked = { catalogue, home: rested, commandId: 'command-x', nowMs };
      const { decision } = judge({ ...asked, command: { type: 'home:grant', items, reason: 'late' } });
      same(decision.ok && decision.value[0]?.at, Math.max(nowMs, rested.lastAtMs));
    },
  ),
];

/** Rules with plenty of everything, so that the order of cards cannot cause a shortage. */
const plenty = (catalogue: Catalogue): Catalogue => ({
  ...catalogue,
  limits: { ...catalogue.limits, autoFeedsPerPet: 1000 },
  starter: {
    items: Object.fromEntries(
      [...Object.keys(catalogue.foods), ...Object.keys(catalogue.cards)].map((item) => [item, 1000]),
    ),
  },
});

/** Rules with meals so long that a few cards do not end them. */
const withLongMeals = (catalogue: Catalogue, workMs: number): Catalogue => ({
  ...catalogue,
  foods: Object.fromEntries(Object.entries(catalogue.foods).map(([name, food]) => [name, { ...food, workMs }])),
});

const plays = fc.array(fc.record({ item: fc.nat(5), count: fc.integer({ min: 1, max: 2 }) }), {
  minLength: 2,
  maxLength: 5,
});
/** Some cards, and the same ones in another order. */
export const shuffledCards = plays.chain((cards) =>
  fc.tuple(fc.constant(cards), fc.shuffledSubarray(cards, { minLength: cards.length })),
);

type Shuffled = typeof shuffledCards extends fc.Arbitrary<infer Value> ? Value : never;

/** The outcome in both orders; undefined if a card was refused or ended the feeding. */
export const inBothOrders = (own: Catalogue, history: History, [cards, otherwise]: Shuffled, unitMs: number) => {
  const catalogue = withLongMeals(plenty(own), 60 * unitMs);
  const played = play(catalogue, [...history, ...fedOne]);
  const nowMs = played.turns.at(-1)?.nowMs ?? 0;
  const one = playAll(catalogue, played.home, nowMs, cards);
  const other = playAll(catalogue, played.home, nowMs, otherwise);
  return one && other && ([signature(one), signature(other)] as const);
};

const sketch: CommandSketch = {
  type: 'home:adopt',
  pet: 0,
  item: 0,
  isApt: true,
  count: undefined,
  feeding: 'none',
  maxWastedMs: undefined,
};
const fedOne = [
  { afterMs: 0, command: sketch },
  { afterMs: 0, command: { ...sketch, type: 'home:feed' as const } },
];

/** The home after all cards; undefined if one was refused or ended the feeding. */
const playAll = (
  catalogue: Catalogue,
  before: Home,
  nowMs: number,
  cards: readonly { readonly item: number; readonly count: number }[],
): Home | undefined => {
  let home = before;
  for (const card of cards) {
    const command = commandOf({ ...sketch, type: 'home:use-card', ...card }, catalogue, home);
    const judgement = judge({ catalogue, home, command, commandId: 'command-x', nowMs });
    if (!judgement.decision.ok || judgement.decision.value.length > 1) return undefined;
    home = judgement.home;
  }
  return home;
};

/** Everything except the order of the armed repeat cards. */
const signature = (home: Home) => ({
  ...home,
  things: {},
  pets: petsOf(home).map((pet) => ({
    ...pet,
    due: dueOf(pet),
    autoFeeds: autoFeedsOf(pet),
    armed: pet.armed.map((armed) => JSON.stringify(armed)).sort(),
  })),
});
