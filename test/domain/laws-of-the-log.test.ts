import { describe, expect, it } from 'vitest';
import { dueOf } from '../../server/domain/feeding.ts';
import { replyOf } from '../../server/domain/reply-of.ts';
import { diffTimers, FEEDING, timersOf } from '../../server/domain/timers-of.ts';
import { type EventBody, eventBody } from '../../shared/event.ts';
import { evolve, fold } from '../../shared/evolve.ts';
import { addItems, newHome, petOf } from '../../shared/home.ts';
import { ownerOf } from '../../shared/ids.ts';
import { eventsMessage, rejection, reply } from '../../shared/protocol.ts';
import { catalogueArbitrary, historyArbitrary } from '../support/arbitraries.ts';
import { PLAYER_ID, type Played, play } from '../support/play.ts';
import { holds } from '../support/property-runs.ts';

const always = (law: (played: Played) => void): void =>
  holds([catalogueArbitrary, catalogueArbitrary, historyArbitrary], (catalogue, laterCatalogue, history) =>
    law(play(catalogue, history, { laterCatalogue })),
  );

describe('the log', () => {
  it('folds to the state, without any catalogue', () => {
    always(({ log, rested }) => expect(fold(newHome(PLAYER_ID), log)).toEqual(rested));
  });

  it('has a seq without a gap and an `at` that never decreases', () => {
    always(({ log }) => {
      expect(log.map((event) => event.seq)).toEqual(log.map((_, index) => index + 1));
      for (const [index, event] of log.entries()) expect(event.at).toBeGreaterThanOrEqual(log[index - 1]?.at ?? 0);
    });
  });

  it('has only events that pass their schema, in the log and on the wire', () => {
    always(({ log }) => {
      for (const { v: _v, seq: _seq, at: _at, commandId: _id, ...body } of log) {
        expect(eventBody.safeParse(body satisfies Omit<EventBody, never>).error).toBeUndefined();
      }
      expect(eventsMessage.safeParse({ events: log, nowMs: 0 }).error).toBeUndefined();
    });
  });

  it('has items that sum up to the stock, which is never negative', () => {
    always(({ log, rested }) => {
      let home = newHome(PLAYER_ID);
      let items = {};
      for (const event of log) {
        home = evolve(home, event);
        if ('items' in event) items = addItems(items, event.items ?? {});
        for (const count of Object.values(home.items)) expect(count).toBeGreaterThan(0);
      }
      expect(items).toEqual(rested.items);
    });
  });

  it('has ids that are unique and name their player', () => {
    always(({ log }) => {
      const created = log.flatMap((event) => {
        if (event.type === 'pet-adopted') return [event.petId];
        return event.type === 'feeding-started' ? [event.feedingId] : [];
      });
      expect(new Set(created).size).toBe(created.length);
      for (const id of created) expect(ownerOf(id)).toBe(PLAYER_ID);
    });
  });

  it('has at most one running feeding a pet, and every feeding ends at most once', () => {
    always(({ log }) => {
      const running = new Map<string, string>();
      for (const event of log) {
        if (event.type === 'feeding-started') {
          expect(running.has(event.petId)).toBe(false);
          running.set(event.petId, event.feedingId);
        } else if (event.type === 'feeding-completed' || event.type === 'feeding-stopped') {
          expect(running.get(event.petId)).toBe(event.feedingId);
          running.delete(event.petId);
        } else if (event.type === 'card-used') expect(running.get(event.petId)).toBe(event.feedingId);
        else if (event.type === 'pet-released') expect(running.has(event.petId)).toBe(false);
      }
      expect(running.size).toBe(0);
    });
  });

  it('gives each completed feeding the xp that it was started with', () => {
    always(({ log }) => {
      const promised = new Map<string, number>();
      const total = new Map<string, number>();
      for (const event of log) {
        if (event.type === 'feeding-started') promised.set(event.feedingId, event.xp);
        if (event.type !== 'feeding-completed') continue;
        total.set(event.petId, (total.get(event.petId) ?? 0) + event.xp);
        expect([event.xp, event.totalXp]).toEqual([promised.get(event.feedingId), total.get(event.petId)]);
      }
    });
  });

  it('starts each feeding of a chain at the instant its forerunner completed, or food arrived', () => {
    always(({ log }) => {
      for (const [index, event] of log.entries()) {
        if (event.type !== 'feeding-started' || event.by === 'hand') continue;
        const cause = log
          .slice(0, index)
          .findLast((earlier) => earlier.type !== 'feeding-started' || earlier.by !== 'card');
        expect(cause?.at).toBe(event.at);
        const forerunner = log
          .slice(0, index)
          .findLast((earlier) => earlier.type === 'feeding-started' && earlier.petId === event.petId);
        expect(forerunner).toMatchObject({ food: event.food, workMs: event.workMs, xp: event.xp });
      }
    });
  });

  it('leaves no pet waiting for food that is there', () => {
    always(({ turns, rested }) => {
      for (const home of [...turns.map((turn) => turn.judgement.home), rested]) {
        for (const pet of home.pets) {
          if (pet.blockedAtMs === undefined) continue;
          expect(home.items[pet.lastFeeding?.food ?? '']).toBeUndefined();
          expect(pet.armed).not.toEqual([]);
          expect(pet.feeding).toBeUndefined();
        }
      }
    });
  });

  it('has the commandId on the first event of the command, and nowhere else', () => {
    always(({ turns, log }) => {
      const accepted = turns.filter((turn) => turn.judgement.decision.ok);
      for (const { judgement, commandId } of accepted) {
        expect(judgement.decision.ok && judgement.decision.value[0]?.commandId).toBe(commandId);
      }
      expect(log.filter((event) => 'commandId' in event)).toHaveLength(accepted.length);
    });
  });
});

describe('an answer', () => {
  it('has the due time that the state shows, 0 when the pet is not eating', () => {
    always(({ turns }) => {
      for (const { judgement } of turns) {
        if (!judgement.decision.ok) continue;
        const answer = replyOf(judgement.decision.value);
        expect(reply.safeParse(answer).error).toBeUndefined();
        expect(answer.seq).toBe(judgement.home.seq);
        if (answer.dueAt === undefined) continue;
        const pet = petOf(judgement.home, answer.petId ?? '');
        expect(answer.dueAt).toBe((pet && dueOf(pet)) ?? 0);
      }
    });
  });

  it('has a due time whenever the command fed, hurried or stopped', () => {
    always(({ turns }) => {
      for (const { judgement, command } of turns) {
        const tells = ['home:feed', 'home:use-card', 'home:stop'].includes(command.type);
        if (tells && judgement.decision.ok) expect(replyOf(judgement.decision.value).dueAt).toBeTypeOf('number');
      }
    });
  });

  it('that refuses changes nothing but what settling found', () => {
    always(({ turns }) => {
      for (const { before, judgement } of turns) {
        if (judgement.decision.ok) continue;
        expect(judgement.home).toEqual(fold(before, judgement.settled));
        expect(rejection.safeParse(judgement.decision.error).error).toBeUndefined();
      }
    });
  });
});

describe('the timers', () => {
  it('are exactly the running feedings', () => {
    always(({ turns, rested }) => {
      for (const { judgement } of turns) {
        const running = judgement.home.pets.flatMap((pet) => pet.feeding?.feedingId ?? []);
        expect(timersOf(judgement.home).map((timer) => timer.subject)).toEqual(running);
        for (const timer of timersOf(judgement.home)) expect(timer.owner).toBe(PLAYER_ID);
      }
      expect(timersOf(rested)).toEqual([]);
      expect(FEEDING).toBe('feeding');
    });
  });

  it('of before, with the difference applied, are those of after, and each ended one ended as the log says', () => {
    always(({ turns }) => {
      for (const { before, judgement, events } of turns) {
        const diff = diffTimers(before, judgement.home, events);
        const timers = new Map(timersOf(before).map((timer) => [timer.subject, timer.dueAtMs]));
        for (const { subject, dueAtMs } of diff.schedule) {
          expect(timers.has(subject)).toBe(false);
          timers.set(subject, dueAtMs);
        }
        for (const { subject, dueAtMs } of diff.reschedule) {
          expect(timers.get(subject)).not.toBe(dueAtMs);
          timers.set(subject, dueAtMs);
        }
        const ended = new Map(events.flatMap((event) => ('feedingId' in event ? [[event.feedingId, event.type]] : [])));
        for (const { subject } of diff.complete) expect(ended.get(subject)).toBe('feeding-completed');
        for (const { subject } of diff.cancel) expect(ended.get(subject)).toBe('feeding-stopped');
        for (const { subject } of [...diff.complete, ...diff.cancel]) expect(timers.delete(subject)).toBe(true);
        expect(timers).toEqual(new Map(timersOf(judgement.home).map((timer) => [timer.subject, timer.dueAtMs])));
      }
    });
  });
});
