import { type Pet, petOf } from '../../shared/home.ts';
import { reject } from '../../shared/protocol.ts';
import { ok, refused } from '../../shared/result.ts';
import { workUntil } from '../../shared/work.ts';
import { type Draft, draftOf } from './draft.ts';
import { dueOf, isBeyondTheClock } from './feeding.ts';
import type { OperatorCommand } from './operator-command.ts';
import { isAnother, notEating, tooLong } from './refusals.ts';
import type { Decision, Scene } from './scene.ts';
import { stopped } from './stopped.ts';

type Act<Type extends OperatorCommand['type'] = OperatorCommand['type']> = Scene<
  Extract<OperatorCommand, { type: Type }>
>;

/** What an operator does to a home that was settled at the same `nowMs`, or why it may not be. Frozen homes too. */
export const decideOperator = (act: Act): Decision => {
  const { command } = act;
  switch (command.type) {
    case 'ops:shift':
      return shift({ ...act, command });
    case 'ops:advance':
      return advance({ ...act, command });
    case 'ops:stop':
      return stop({ ...act, command });
    case 'ops:freeze':
    case 'ops:unfreeze':
      return freeze({ ...act, command });
    default:
      return command satisfies never;
  }
};

const shift = ({ home, command, commandId, nowMs }: Act<'ops:shift'>): Decision => {
  const pet = petOf(home, command.petId);
  if (!pet) return refused(reject('pet/unknown', { petId: command.petId }));
  if (!pet.feeding || isAnother(pet, command.feedingId)) return refused(notEating(pet, command.feedingId));
  const dueAt = (dueOf(pet) ?? 0) + command.byMs;
  if (isBeyondTheClock(dueAt)) return refused(tooLong(dueAt));
  const draft = draftOf(home, commandId);
  addShift(draft, pet, command, nowMs);
  return ok(draft.events());
};

/** Brings everything that is eaten nearer, at most to now: for testers. */
const advance = ({ home, command, commandId, nowMs }: Act<'ops:advance'>): Decision => {
  const eating = home.pets.filter((pet) => pet.feeding);
  if (eating.length === 0) return refused(reject('pet/not-eating', {}));
  const draft = draftOf(home, commandId);
  for (const pet of eating) addShift(draft, pet, { ...command, byMs: -command.byMs }, nowMs);
  return ok(draft.events());
};

/** Moves the due time by `byMs`, but never before now; then the feeding completes now. */
const addShift = (
  draft: Draft,
  pet: Pet,
  { byMs, by, reason }: { readonly byMs: number; readonly by: string; readonly reason: string },
  nowMs: number,
): void => {
  const dueAt = Math.max(nowMs, (dueOf(pet) ?? nowMs) + byMs);
  draft.add(nowMs, {
    type: 'feeding-shifted',
    petId: pet.petId,
    feedingId: pet.feeding?.feedingId ?? '',
    byMs,
    workLeftMs: workUntil(nowMs, pet.boost, dueAt),
    dueAt,
    by,
    reason,
  });
};

const stop = ({ catalogue, home, command, commandId, nowMs }: Act<'ops:stop'>): Decision => {
  const pet = petOf(home, command.petId);
  if (!pet) return refused(reject('pet/unknown', { petId: command.petId }));
  if (!pet.feeding || isAnother(pet, command.feedingId)) return refused(notEating(pet, command.feedingId));
  const draft = draftOf(home, commandId);
  const { by, reason } = command;
  draft.add(nowMs, { ...stopped(catalogue, pet, pet.feeding, nowMs), by, reason });
  return ok(draft.events());
};

const freeze = ({ home, command, commandId, nowMs }: Act<'ops:freeze' | 'ops:unfreeze'>): Decision => {
  const isFreeze = command.type === 'ops:freeze';
  if (isFreeze === (home.frozenAtMs !== undefined)) {
    return refused(reject(isFreeze ? 'player/frozen' : 'player/not-frozen', {}));
  }
  const draft = draftOf(home, commandId);
  const { by, reason } = command;
  draft.add(nowMs, { type: isFreeze ? 'player-frozen' : 'player-unfrozen', by, reason });
  return ok(draft.events());
};
