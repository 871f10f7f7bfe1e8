import type { HomeEvent } from '../../../shared/event.ts';
import { type Home, newHome } from '../../../shared/home.ts';
import { ownerOf } from '../../../shared/ids.ts';
import type { OpsExplanation, OpsStep } from '../../../shared/ops/ops-explanation.ts';
import type { PetsEvent } from '../../../shared/pets/events.ts';
import { dueOf } from '../../../shared/pets/feeding.ts';
import type { Pet } from '../../../shared/pets/pet.ts';
import { petsOf } from '../../../shared/pets/pet.ts';
import { restate } from '../../../shared/work.ts';
import { evolve } from '../../domain/evolve.ts';
import type { Modules } from '../../domain/modules.ts';

/** A player's log as far as it is there: what was folded away, and everything after it. */
export interface WholeLog {
  readonly checkpoint: Home | undefined;
  readonly events: readonly HomeEvent[];
}

type Told = Pick<OpsStep, 'type' | 'facts'>;

/**
 * Why a feeding is due when it is: every entry of the log that has to do with it, what each did to the due time, and
 * with which numbers. Folds the log, so it shows what the rules did and not what they might say today. Undefined when
 * the log knows no such feeding.
 */
export const explainFeeding = (input: {
  readonly modules: Modules;
  readonly feedingId: string;
  readonly log: WholeLog;
  /** Of the scheduled timer's row. */
  readonly timerDueAtMs: number | undefined;
  readonly nowMs: number;
}): OpsExplanation | undefined => {
  const { modules, feedingId, log, timerDueAtMs, nowMs } = input;
  const playerId = ownerOf(feedingId);
  let home = log.checkpoint ?? newHome(playerId);
  const kept = eating(home, feedingId);
  const steps: OpsStep[] = kept ? [keptStep(home, kept)] : [];
  let petId = kept?.petId;
  for (const event of log.events) {
    const before = eating(home, feedingId);
    home = evolve(modules, home, event);
    const after = eating(home, feedingId);
    petId ??= after?.petId;
    const told = before || after ? tell(event as PetsEvent, before, after) : undefined;
    if (told) steps.push(stepOf(event, told, before && dueOf(before), after && dueOf(after)));
  }
  if (petId === undefined) return undefined;
  const running = eating(home, feedingId);
  const dueAtMs = running && dueOf(running);
  return {
    playerId,
    petId,
    feedingId,
    steps,
    nowMs,
    dueAtMs,
    timerDueAtMs,
    state: running ? 'running' : steps.at(-1)?.type === 'completed' ? 'completed' : 'stopped',
    isConsistent: dueAtMs === timerDueAtMs,
    isCut: kept !== undefined,
  };
};

const eating = (home: Home, feedingId: string): Pet | undefined =>
  petsOf(home).find((pet) => pet.feeding?.feedingId === feedingId);

const stepOf = (
  { seq, at }: { readonly seq: number; readonly at: number },
  told: Told,
  dueBeforeMs: number | undefined,
  dueAfterMs: number | undefined,
): OpsStep => ({
  seq,
  at,
  ...told,
  dueBeforeMs,
  dueAfterMs,
  effectMs: dueBeforeMs === undefined || dueAfterMs === undefined ? 0 : dueAfterMs - dueBeforeMs,
});

const keptStep = (home: Home, pet: Pet): OpsStep =>
  stepOf({ seq: home.seq, at: home.lastAtMs }, { type: 'kept', facts: stateFacts(pet) }, undefined, dueOf(pet));

/** What the feeding is made of at this moment. */
const stateFacts = ({ feeding, boost }: Pet): OpsStep['facts'] => ({
  ...(feeding
    ? {
        food: feeding.food,
        workMs: feeding.workMs,
        leftMs: feeding.work.leftMs,
        sinceAtMs: feeding.work.sinceAtMs,
      }
    : {}),
  ...(feeding && boost && boost.endsAtMs > feeding.work.sinceAtMs
    ? { boostRate: boost.rate, boostEndsAtMs: boost.endsAtMs }
    : {}),
});

/** Undefined for an event of another pet, or of none. */
const tell = (event: PetsEvent, before: Pet | undefined, after: Pet | undefined): Told | undefined => {
  const pet = before ?? after;
  if (event.type === 'home-merged') return { type: 'moved-away', facts: { into: event.into } };
  if (!('petId' in event) || event.petId !== pet?.petId) return undefined;
  switch (event.type) {
    case 'feeding-started':
      return { type: 'started', facts: { by: event.by, ...(after ? stateFacts(after) : {}) } };
    case 'pet-arrived':
      return { type: 'arrived', facts: { from: event.from, ...(after ? stateFacts(after) : {}) } };
    case 'card-used':
      return cardTold(event, before);
    case 'feeding-shifted': {
      const { byMs, by, reason, workLeftMs } = event;
      return {
        type: 'shifted',
        facts: { byMs, by, reason, leftBeforeMs: leftAt(before, event.at), leftAfterMs: workLeftMs },
      };
    }
    case 'feeding-completed':
      return { type: 'completed', facts: { xp: event.xp } };
    case 'feeding-stopped':
      return { type: 'stopped', facts: { ...(event.by ? { by: event.by } : {}), reason: event.reason ?? '' } };
    default:
      return undefined;
  }
};

const cardTold = (event: Extract<PetsEvent, { type: 'card-used' }>, before: Pet | undefined): Told => {
  const { card, count, workLeftMs } = event;
  const leftBeforeMs = leftAt(before, event.at);
  switch (event.effect) {
    case 'cut':
      return {
        type: 'cut',
        facts: {
          card,
          count,
          leftBeforeMs,
          leftAfterMs: workLeftMs,
          cutMs: leftBeforeMs - workLeftMs,
          wastedMs: event.wastedMs ?? 0,
        },
      };
    case 'rate':
      return {
        type: 'boosted',
        facts: { card, count, leftBeforeMs, rate: event.boostRate ?? 1, endsAtMs: event.boostEndsAt ?? event.at },
      };
    case 'repeat':
      return { type: 'armed', facts: { card, count, autoFeeds: event.autoFeeds ?? 0 } };
    default:
      return event.effect satisfies never;
  }
};

const leftAt = (pet: Pet | undefined, at: number): number =>
  pet?.feeding ? restate(pet.feeding.work, pet.boost, at).leftMs : 0;
