import type { Complain, PlayerEvidence, Rules, ToldEvent } from '../evidence/evidence.ts';
import { countIn, emptyHome, isSame, type RetoldHome } from './retold-home.ts';
import { type Following, type Telling, tellEvent } from './tell-event.ts';
import { growing, isOfField, tellField } from './tell-field.ts';

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
    judgeFollowing(following ?? owedTo(home, event, lastAtMs), event, about);
    const telling: Telling = { playerId, rules, home, complain: about };
    following = isOfField(event) ? tellField(telling, event) : tellEvent(telling, event);
    addItems(home, event, about);
    following = following && withFood(home, following);
    lastAtMs = event.at;
  }
  if (following) complain(`the log ends where ${following.type} of ${following.id} must follow`);
  const owed = ableToGoOn(home)[0];
  if (owed) complain(`${owed.id} waits, and could go on`);
  return home;
};

const judgePlace = (event: ToldEvent, seq: number, lastAtMs: number, complain: Complain): void => {
  if (event.seq !== seq) complain(`is at place ${seq} of the log`);
  if (event.v !== 1) complain(`has version ${event.v}`);
  if (event.at < lastAtMs) complain(`is dated ${lastAtMs - event.at} ms before the one before it`);
  if (!Number.isInteger(event.at)) complain('is not dated in whole milliseconds');
};

const judgeStarter = (event: ToldEvent, rules: Rules, complain: Complain): void => {
  const isStarter = event.type === 'items-granted' && event.reason === 'starter';
  if (!isStarter || !isSame(event.items, rules.starter.items))
    complain('the log does not begin with the starter items');
};

/** Looking settles: nothing is written while a feeding is over and not yet completed. */
const judgeOverdue = (home: RetoldHome, event: ToldEvent, complain: Complain): void => {
  for (const { bed, ripeAtMs } of growing(home)) {
    if (ripeAtMs === undefined || (isOfField(event) && event.thing === bed && event.type === 'field/ripened')) continue;
    // At one instant the field comes before the pets.
    const isFirst = event.commandId !== undefined || event.type === 'feeding-completed';
    if (ripeAtMs < event.at || (ripeAtMs === event.at && isFirst)) complain(`${bed} is ripe, and nobody has noticed`);
  }
  for (const { petId, bowl } of home.pets.values()) {
    if (!bowl) continue;
    const isOver = bowl.dueAtMs < event.at || (bowl.dueAtMs === event.at && event.commandId !== undefined);
    if (isOver) complain(`${bowl.feedingId} was due ${event.at - bowl.dueAtMs} ms before, and is not completed`);
    if (event.type === 'feeding-completed' && bowl.dueAtMs === event.at && petId < event.petId)
      complain(`${petId} is due at the same instant and comes first`);
  }
};

const judgeFollowing = (following: Following | undefined, event: ToldEvent, complain: Complain): void => {
  if (!following) return;
  const id = isOfField(event) ? event.thing : 'petId' in event ? event.petId : '';
  const isIt = event.type === following.type && id === following.id && event.at === following.atMs;
  if (!isIt) complain(`stands where ${following.type} of ${following.id} at ${following.atMs} must follow`);
};

/** A waiting thing continues as soon as it can, before anything else happens; a release ends first. */
const owedTo = (home: RetoldHome, event: ToldEvent, lastAtMs: number): Following | undefined => {
  const [next] = ableToGoOn(home);
  return next && event.type !== 'pet-released' ? { type: next.type, id: next.id, atMs: lastAtMs } : undefined;
};

/** Beds while none grows, pets whose food is there: the longest wait is first; of several the field, then by id. */
const ableToGoOn = (home: RetoldHome): readonly Able[] => {
  const beds = growing(home).length > 0 ? [] : [...home.beds.values()];
  const pets = [...home.pets.values()].filter(({ last }) => last && countIn(home, last.food) > 0);
  return [
    ...waiting(beds.map(({ bed, sownAtMs }) => ({ type: 'field/sprouted', id: bed, sinceMs: sownAtMs }))),
    ...waiting(pets.map(({ petId, blockedAtMs }) => ({ type: 'feeding-started', id: petId, sinceMs: blockedAtMs }))),
  ].sort((a, b) => a.sinceMs - b.sinceMs);
};

type Able = Omit<Following, 'atMs'> & { readonly sinceMs: number };

const waiting = (all: readonly (Omit<Able, 'sinceMs'> & { readonly sinceMs: number | undefined })[]) =>
  all
    .flatMap(({ sinceMs, ...one }): Able[] => (sinceMs === undefined ? [] : [{ ...one, sinceMs }]))
    .sort((a, b) => (a.id < b.id ? -1 : 1));

const addItems = (home: RetoldHome, event: ToldEvent, complain: Complain): void => {
  for (const [item, delta] of Object.entries(('items' in event && event.items) || {})) {
    const count = countIn(home, item) + delta;
    home.stock.set(item, count);
    if (count < 0) complain(`leaves ${count} ${item}`);
  }
};

/** A chain without food is blocked instead. */
const withFood = (home: RetoldHome, following: Following): Following => {
  if (following.type !== 'feeding-started') return following;
  const food = home.pets.get(following.id)?.last?.food ?? '';
  return countIn(home, food) > 0 ? following : { ...following, type: 'auto-feed-blocked' };
};
