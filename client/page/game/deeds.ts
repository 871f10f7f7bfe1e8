import { signal } from '@preact/signals';
import type { Card } from '../../../shared/pets/catalogue.ts';
import type { ShownPet } from '../../../shared/pets/shown-pet.ts';
import type { Rejection } from '../../../shared/protocol.ts';
import { CommandRefused, type HomeFollower } from '../../follow/follow-home.ts';
import type { GameModules, TownThing } from './modules.ts';
import { acceptedWasteMs } from './preview.ts';

interface Dependencies {
  readonly follower: () => HomeFollower<GameModules>;
  readonly onAdopted: (petId: string) => void;
  readonly onRefused: (rejection: Rejection) => void;
}

/** The player's actions. Each returns the reply, or undefined if it was refused and the player has seen that. */
export const createDeeds = ({ follower, onAdopted, onRefused }: Dependencies) => {
  const { pending, run } = createPending(onRefused);
  return {
    pending,
    /** `onRefused`: shows it in the form, because a dialog covers the toasts. */
    adopt: async (name: string, species: string, onRefused: Dependencies['onRefused']): Promise<boolean> => {
      const reply = await run('', 'adopt', follower().adopt(name, species), onRefused);
      if (reply?.petId) onAdopted(reply.petId);
      return reply !== undefined;
    },
    feed: (pet: ShownPet, food: string) => run(pet.id, food, follower().feed(pet.id, food)),
    useCard: (pet: ShownPet, card: string, { facts, count, acceptedMs }: CardUse) => {
      const most = facts.effect === 'cut' ? { maxWastedMs: acceptedWasteMs(facts, count) + acceptedMs } : {};
      const payload = { petId: pet.id, feedingId: pet.feedingId, card, count, ...most };
      return run(pet.id, card, follower().useCard(payload));
    },
    disarm: (pet: ShownPet, count: number) => run(pet.id, 'disarm', follower().disarm(pet.id, count)),
    stop: (pet: ShownPet) => run(pet.id, 'stop', follower().stop(pet.id, pet.feedingId)),
    release: (pet: ShownPet) => run(pet.id, 'release', follower().release(pet.id)),
    quoteCard: (pet: ShownPet, card: string, count: number) =>
      follower().quote('home:use-card', { petId: pet.id, feedingId: pet.feedingId, card, count }),
    quoteStop: (pet: ShownPet) => follower().quote('home:stop', { petId: pet.id, feedingId: pet.feedingId }),
    place: (thing: string) => run(placing(thing), thing, follower().command('town:place', { thing })),
    order: ({ id }: TownThing, activity: string) =>
      run(id, activity, follower().command('town:start', { thing: id, activity })),
    collect: ({ id }: TownThing) => run(id, 'collect', follower().command('town:collect', { thing: id })),
    takeBack: ({ id }: TownThing) => run(id, 'cancel', follower().command('town:cancel', { thing: id, run: id })),
    cancel: ({ id }: TownThing, task: string) =>
      run(id, 'cancel', follower().command('town:cancel', { thing: id, run: task })),
    quoteCancel: ({ id }: TownThing, task: string) => follower().quote('town:cancel', { thing: id, run: task }),
    /** `things`: all that wait for the slot, in the wanted order. */
    reorder: ({ id }: TownThing, slot: string, things: readonly string[]) =>
      run(id, 'reorder', follower().command('town:reorder', { slot, things: [...things] })),
    playCard: ({ id }: TownThing, card: string, played: WorkCardUse) =>
      run(id, card, follower().command('town:use-card', { thing: id, card, ...played })),
    quoteWorkCard: ({ id }: TownThing, card: string, task: string) =>
      follower().quote('town:use-card', { thing: id, card, run: task }),
  };
};

/** The key of a thing that is being placed: no id begins like this. */
export const placing = (thing: string): string => `+${thing}`;

/** `run`: the run that the player saw; `maxCount` and `maxWastedMs`: the shown price and waste. */
export interface WorkCardUse {
  readonly run: string;
  readonly maxCount?: number;
  readonly maxWastedMs?: number;
}

interface CardUse {
  readonly facts: Card;
  readonly count: number;
  /** The waste that the player has seen and confirmed. */
  readonly acceptedMs: number;
}

const createPending = (onAnyRefused: Dependencies['onRefused']) => {
  /** By pet id: the item or action under way; '' for an adoption. */
  const pending = signal<ReadonlyMap<string, string>>(new Map());

  const mark = (key: string, what: string | undefined): void => {
    const marked = new Map(pending.value);
    if (what === undefined) marked.delete(key);
    else marked.set(key, what);
    pending.value = marked;
  };

  const run = async <Value>(
    key: string,
    what: string,
    command: Promise<Value>,
    onRefused = onAnyRefused,
  ): Promise<Value | undefined> => {
    mark(key, what);
    try {
      return await command;
    } catch (error) {
      if (error instanceof CommandRefused) onRefused(error.rejection);
      return undefined;
    } finally {
      mark(key, undefined);
    }
  };

  return { pending, run };
};
