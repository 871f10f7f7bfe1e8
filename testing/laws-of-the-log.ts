import { newHome } from '../shared/home.ts';
import { ownerOf } from '../shared/ids.ts';
import type { Items } from '../shared/items.ts';
import { addItems, countOf } from '../shared/items.ts';
import { type PetsEvent, type PetsEventBody, petsEventBody } from '../shared/pets/events.ts';
import { dueOf } from '../shared/pets/feeding.ts';
import { autoFeedsOf, petOf, petsOf } from '../shared/pets/pet.ts';
import type { HomeEvent } from '../shared/pets/protocol.ts';
import { eventsMessage, rejection, reply } from '../shared/pets/protocol.ts';
import { hold, same } from './claims.ts';
import { type Law, law } from './law.ts';
import { diffTimers, evolve, FEEDING, fold, replyOf, timersOf } from './pets-engine.ts';
import { PLAYER_ID, type Played, play } from './play.ts';

const always = (title: string, claim: (played: Played) => void): Law =>
  law(
    title,
    ({ catalogue, laterCatalogue, history }) => [catalogue, laterCatalogue, history],
    ({ restMs }, catalogue, laterCatalogue, history) => claim(play(catalogue, history, { laterCatalogue, restMs })),
  );

/** Laws of each log, reply and timer, under any rules. */
export const lawsOfTheLog: readonly Law[] = [
  always('the log folds to the state, without any catalogue', ({ log, rested }) =>
    same(fold(newHome(PLAYER_ID), log), rested),
  ),
  always('the log has a seq without a gap and an `at` that never decreases', ({ log }) => {
    same(
      log.map((event) => event.seq),
      log.map((_, index) => index + 1),
    );
    for (const [index, event] of log.entries()) hold(event.at >= (log[index - 1]?.at ?? 0));
  }),
  always('the log has only events that pass their schema, in the log and on the wire', ({ log }) => {
    for (const { v: _v, seq: _seq, at: _at, commandId: _id, ...body } of log) {
      same(petsEventBody.safeParse(body satisfies Omit<PetsEventBody, never>).error, undefined);
    }
    same(eventsMessage.safeParse({ events: log, nowMs: 0 }).error, undefined);
  }),
  always('the log has items that sum up to the stock, which is never negative', ({ log, rested }) => {
    let home = newHome(PLAYER_ID);
    let items = {};
    for (const event of log) {
      home = evolve(home, event);
      if ('items' in event) items = addItems(items, event.items ?? {});
      for (const count of Object.values(home.items)) hold(count > 0);
    }
    same(items, rested.items);
  }),
  always('the log has ids that are unique and name their player', ({ log }) => {
    const created = log.flatMap((event) => {
      if (event.type === 'pet-adopted') return [event.petId];
      return event.type === 'feeding-started' ? [event.feedingId] : [];
    });
    same(new Set(created).size, created.length);
    for (const id of created) same(ownerOf(id), PLAYER_ID);
  }),
  always('the log has at most one running feeding a pet, and every feeding ends at most once', ({ log }) => {
    const running = new Map<string, string>();
    for (const event of log) {
      if (event.type === 'feeding-started') {
        same(running.has(event.petId), false);
        running.set(event.petId, event.feedingId);
      } else if (event.type === 'feeding-completed' || event.type === 'feeding-stopped') {
        same(running.get(event.petId), event.feedingId);
        running.delete(event.petId);
      } else if (event.type === 'card-used') same(running.get(event.petId), event.feedingId);
      else if (event.type === 'pet-released') same(running.has(event.petId), false);
    }
    same(running.size, 0);
  }),
  always('the log gives each completed feeding the xp that it was started with', ({ log }) => {
    const promised = new Map<string, number>();
    const total = new Map<string, number>();
    for (const event of log) {
      if (event.type === 'feeding-started') promised.set(event.feedingId, event.xp);
      if (event.type !== 'feeding-completed') continue;
      total.set(event.petId, (total.get(event.petId) ?? 0) + event.xp);
      same([event.xp, event.totalXp], [promised.get(event.feedingId), total.get(event.petId)]);
    }
  }),
  always(
    'the log starts each feeding of a chain at the instant its forerunner completed, or food arrived',
    ({ log }) => {
      for (const [index, event] of log.entries()) {
        if (event.type !== 'feeding-started' || event.by === 'hand') continue;
        const cause = log
          .slice(0, index)
          .findLast((earlier) => earlier.type !== 'feeding-started' || earlier.by !== 'card');
        same(cause?.at, event.at);
        const forerunner = log
          .slice(0, index)
          .findLast((earlier) => earlier.type === 'feeding-started' && earlier.petId === event.petId);
        hold(forerunner?.type === 'feeding-started');
        const { food, workMs, xp } = event;
        same(forerunner?.type === 'feeding-started' && [forerunner.food, forerunner.workMs, forerunner.xp], [
          food,
          workMs,
          xp,
        ]);
      }
    },
  ),
  always('the log loses no feeding that a repeat card paid for, as long as the pet is there', ({ log, rested }) => {
    const cards = new Map<string, readonly PaidCard[]>();
    for (const event of log) {
      if (!('petId' in event)) continue;
      const lying = cards.get(event.petId) ?? [];
      cards.set(event.petId, lyingAfter(lying, event));
      if (event.type === 'auto-feed-disarmed' || event.type === 'feeding-stopped') {
        same(feedingsOf(cards.get(event.petId) ?? []), event.autoFeeds ?? 0);
      }
    }
    for (const pet of petsOf(rested)) same(autoFeedsOf(pet), feedingsOf(cards.get(pet.petId) ?? []));
  }),
  always('the log leaves no pet waiting for food that is there', ({ turns, rested }) => {
    for (const home of [...turns.map((turn) => turn.judgement.home), rested]) {
      for (const pet of petsOf(home)) {
        if (pet.blockedAtMs === undefined) continue;
        same(home.items[pet.lastFeeding?.food ?? ''], undefined);
        hold(pet.armed.length > 0);
        same(pet.feeding, undefined);
      }
    }
  }),
  always('the log has the commandId on the first event of the command, and nowhere else', ({ turns, log }) => {
    const accepted = turns.filter((turn) => turn.judgement.decision.ok);
    for (const { judgement, commandId } of accepted) {
      same(judgement.decision.ok && judgement.decision.value[0]?.commandId, commandId);
    }
    same(log.filter((event) => 'commandId' in event).length, accepted.length);
  }),
  always('an answer has the due time that the state shows, 0 when the pet is not eating', ({ turns }) => {
    for (const { judgement } of turns) {
      if (!judgement.decision.ok) continue;
      const answer = replyOf(judgement.decision.value);
      same(reply.safeParse(answer).error, undefined);
      same(answer.seq, judgement.home.seq);
      if (answer.dueAt === undefined) continue;
      const pet = petOf(judgement.home, answer.petId ?? '');
      same(answer.dueAt, (pet && dueOf(pet)) ?? 0);
    }
  }),
  always('an answer has a due time whenever the command fed, hurried or stopped', ({ turns }) => {
    for (const { judgement, command } of turns) {
      const tells = ['home:feed', 'home:use-card', 'home:stop'].includes(command.type);
      if (tells && judgement.decision.ok) same(typeof replyOf(judgement.decision.value).dueAt, 'number');
    }
  }),
  always('an answer that refuses changes nothing but what settling found', ({ turns }) => {
    for (const { before, judgement } of turns) {
      if (judgement.decision.ok) continue;
      same(judgement.home, fold(before, judgement.settled));
      same(rejection.safeParse(judgement.decision.error).error, undefined);
    }
  }),
  always('the timers are exactly those of the pets that eat', ({ turns, rested }) => {
    for (const { judgement } of turns) {
      const eating = petsOf(judgement.home).flatMap((pet) => (pet.feeding ? `${PLAYER_ID}~${pet.petId}` : []));
      same(
        timersOf(judgement.home).map((timer) => timer.subject),
        eating,
      );
      for (const timer of timersOf(judgement.home)) same(timer.owner, PLAYER_ID);
    }
    same(timersOf(rested), []);
    same(FEEDING, 'feeding');
  }),
  always(
    'the timers of before, with the difference applied, are those of after, and the log says how each ended one ended',
    ({ turns }) => {
      for (const { before, judgement, events } of turns) {
        const diff = diffTimers(before, judgement.home);
        const timers = new Map(timersOf(before).map((timer) => [timer.subject, timer.dueAtMs]));
        for (const { subject, dueAtMs } of diff.put) {
          hold(timers.get(subject) !== dueAtMs);
          timers.set(subject, dueAtMs);
        }
        const ended = new Set(events.flatMap((event) => (isEnd(event) ? `${PLAYER_ID}~${event.petId}` : [])));
        for (const { subject } of diff.end) same([ended.has(subject), timers.delete(subject)], [true, true]);
        same(timers, new Map(timersOf(judgement.home).map((timer) => [timer.subject, timer.dueAtMs])));
      }
    },
  ),
];

const isEnd = (event: PetsEvent) => event.type === 'feeding-completed' || event.type === 'feeding-stopped';

/** One repeat card on a pet; the oldest one is used first. */
interface PaidCard {
  readonly card: string;
  readonly times: number;
  readonly left: number;
}

const feedingsOf = (cards: readonly PaidCard[]): number => cards.reduce((sum, { left }) => sum + left, 0);

const lyingAfter = (cards: readonly PaidCard[], event: HomeEvent): readonly PaidCard[] => {
  if (event.type === 'card-used' && event.effect === 'repeat') {
    const times = ((event.autoFeeds ?? 0) - feedingsOf(cards)) / event.count;
    return [...cards, ...Array.from({ length: event.count }, () => ({ card: event.card, times, left: times }))];
  }
  if (event.type === 'feeding-started' && event.by === 'card') {
    const [first, ...others] = cards;
    hold(first !== undefined, 'a chain goes on without a card');
    return first && first.left > 1 ? [{ ...first, left: first.left - 1 }, ...others] : others;
  }
  return event.type === 'auto-feed-disarmed' || event.type === 'feeding-stopped'
    ? takenFrom(cards, event.items)
    : cards;
};

/** Only unused cards go back, the newest first. */
const takenFrom = (cards: readonly PaidCard[], items: Items): readonly PaidCard[] => {
  const back: Record<string, number> = { ...items };
  return cards
    .toReversed()
    .filter(({ card, times, left }) => {
      const isBack = countOf(back, card) > 0 && left === times;
      if (isBack) back[card] = countOf(back, card) - 1;
      return !isBack;
    })
    .toReversed();
};
