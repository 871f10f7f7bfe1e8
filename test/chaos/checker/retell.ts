import type { HomeEvent } from '../../../shared/pets/protocol.ts';
import type { Complain, PlayerEvidence, Rules } from '../evidence/evidence.ts';
import { countIn, emptyHome, isSame, type RetoldHome, type RetoldPet } from './retold-home.ts';
import { type Following, type Telling, tellEvent } from './tell-event.ts';

/**
 * Tells a player's log again, event by event, on rules of its own (DESIGN, section 5), and complains about whatever could not
 * have been so. Answers the home that the log leaves.
 */
export const retell = ({ playerId, log }: PlayerEvidence, rules: Rules, complain: Complain): RetoldHome => {
  const home = emptyHome();
  let lastAtMs = 0;
  let following: Following | undefined;
  for (const [at, { event }] of log.entries()) {
    const about = (what: string): void => complain(`seq ${event.seq} ${event.type}: ${what}`);
    judgePlace(event, at + 1, lastAtMs, about);
    if (at === 0) judgeStarter(event, rules, about);
    judgeOverdue(home, event, about);
    judgeFollowing(following ?? owedTo(home, event), event, about);
    const telling: Telling = { playerId, rules, home, complain: about };
    following = tellEvent(telling, event);
    addItems(home, event, about);
    following = following && withFood(home, following);
    lastAtMs = event.at;
  }
  if (following) complain(`the log ends where ${following.type} of ${following.petId} must follow`);
  const owed = waitingWithFood(home)[0];
  if (owed) complain(`${owed.petId} waits for food that is there`);
  return home;
};

const judgePlace = (event: HomeEvent, seq: number, lastAtMs: number, complain: Complain): void => {
  if (event.seq !== seq) complain(`is at place ${seq} of the log`);
  if (event.v !== 1) complain(`has version ${event.v}`);
  if (event.at < lastAtMs) complain(`is dated ${lastAtMs - event.at} ms before the one before it`);
  if (!Number.isInteger(event.at)) complain('is not dated in whole milliseconds');
};

const judgeStarter = (event: HomeEvent, rules: Rules, complain: Complain): void => {
  const isStarter = event.type === 'items-granted' && event.reason === 'starter';
  if (!isStarter || !isSame(event.items, rules.starter.items))
    complain('the log does not begin with the starter items');
};

/** Looking settles: nothing is written while a feeding is over and not yet completed. */
const judgeOverdue = (home: RetoldHome, event: HomeEvent, complain: Complain): void => {
  for (const { petId, bowl } of home.pets.values()) {
    if (!bowl) continue;
    const isOver = bowl.dueAtMs < event.at || (bowl.dueAtMs === event.at && event.commandId !== undefined);
    if (isOver) complain(`${bowl.feedingId} was due ${event.at - bowl.dueAtMs} ms before, and is not completed`);
    if (event.type === 'feeding-completed' && bowl.dueAtMs === event.at && petId < event.petId)
      complain(`${petId} is due at the same instant and comes first`);
  }
};

const judgeFollowing = (following: Following | undefined, event: HomeEvent, complain: Complain): void => {
  if (!following) return;
  const isIt =
    event.type === following.type && 'petId' in event && event.petId === following.petId && event.at === following.atMs;
  if (!isIt) complain(`stands where ${following.type} of ${following.petId} at ${following.atMs} must follow`);
};

/** A pet that waits is fed as soon as there is food, before anything else happens; a release ends first. */
const owedTo = (home: RetoldHome, event: HomeEvent): Following | undefined => {
  const [pet] = waitingWithFood(home);
  return pet && event.type !== 'pet-released'
    ? { type: 'feeding-started', petId: pet.petId, atMs: event.at }
    : undefined;
};

const waitingWithFood = (home: RetoldHome): readonly RetoldPet[] =>
  [...home.pets.values()]
    .filter((pet) => pet.blockedAtMs !== undefined && pet.last && countIn(home, pet.last.food) > 0)
    .sort((a, b) => (a.blockedAtMs ?? 0) - (b.blockedAtMs ?? 0) || (a.petId < b.petId ? -1 : 1));

const addItems = (home: RetoldHome, event: HomeEvent, complain: Complain): void => {
  for (const [item, delta] of Object.entries(('items' in event && event.items) || {})) {
    const count = countIn(home, item) + delta;
    home.stock.set(item, count);
    if (count < 0) complain(`leaves ${count} ${item}`);
  }
};

/** A chain without food is blocked instead. */
const withFood = (home: RetoldHome, following: Following): Following => {
  if (following.type !== 'feeding-started') return following;
  const food = home.pets.get(following.petId)?.last?.food ?? '';
  return countIn(home, food) > 0 ? following : { ...following, type: 'auto-feed-blocked' };
};
