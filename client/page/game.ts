import { computed, signal } from '@preact/signals';
import type { Card, Catalogue } from '../../shared/catalogue.ts';
import type { EventOf, HomeEvent } from '../../shared/event.ts';
import type { Rejection, Reply } from '../../shared/protocol.ts';
import {
  CommandRefused,
  type Connection,
  followHome,
  type SdkClient,
  type ShownHome,
  type ShownPet,
} from '../follow/follow-home.ts';
import { systemPlatform } from '../follow/platform.ts';
import { createLanguage } from './language.ts';
import type { Memory } from './memory.ts';
import { createNewspaper } from './newspaper.ts';
import { acceptedWasteMs } from './preview.ts';
import { tell } from './telling.ts';
import { drawNow } from './ticker.ts';
import { createToasts } from './toasts.ts';

/** What `GET /rules.json` answers. */
export type Rules = Pick<Catalogue, 'species' | 'foods' | 'cards' | 'levels' | 'limits'>;

export interface GameOptions {
  readonly client: SdkClient;
  readonly memory: Memory;
  readonly preferredLanguages: readonly string[];
  readonly fetchRules: () => Promise<Rules>;
}

/** How long a pet is seen to be happy about a meal. */
const HAPPY_MS = 5_000;
/** With meals no longer than this the rules are for trying out. */
const FAST_MEAL_MS = 120_000;

/** The page's state, and what a player can do. Nothing changes here before the server has said so. */
export const createGame = (options: GameOptions) => {
  const { client, memory } = options;
  const language = createLanguage(memory, options.preferredLanguages);
  const toasts = createToasts();
  const home = signal<ShownHome | undefined>(undefined);
  const rules = signal<Rules | undefined>(undefined);
  const connection = signal<Connection>({ phase: 'connecting' });
  const chosen = signal('');
  /** Pet id -> the item or the deed that is on its way; '' for an adoption. */
  const pending = signal<ReadonlyMap<string, string>>(new Map());
  const happy = signal<ReadonlySet<string>>(new Set());
  /** Feedings whose food would come back: by hand, and no card was played on them. */
  const undoable = signal<ReadonlySet<string>>(new Set());
  const names = new Map<string, string>();
  const nameOf = (petId: string): string => names.get(petId) ?? language.words.value.away.somebody;
  const levels = (): readonly number[] => rules.value?.levels ?? [0];

  const tellNow = (event: HomeEvent): void => {
    const facts = { words: language.words.value, formats: language.formats.value, levels: levels(), nameOf };
    const isSeen = isShownAnyway(event) && pending.value.has(event.type === 'pet-adopted' ? '' : event.petId);
    for (const { kind, text } of tell(event, facts)) {
      if (isSeen) toasts.say(text);
      else toasts.show(kind, text);
    }
  };
  const newspaper = createNewspaper({
    levels,
    onTell: tellNow,
    onSeen: () => {
      memory.seen = follower.cursor;
    },
    nowMs: () => follower.nowMs(),
    isHidden: () => document.hidden,
  });

  const note = (event: HomeEvent): void => {
    if (event.type === 'pet-adopted') names.set(event.petId, event.name);
    if (event.type === 'feeding-started' && event.by === 'hand')
      undoable.value = withOne(undoable.value, event.feedingId);
    if (event.type === 'card-used') undoable.value = without(undoable.value, event.feedingId);
    if (event.type === 'feeding-completed') {
      happy.value = withOne(happy.value, event.petId);
      systemPlatform.after(HAPPY_MS, () => {
        happy.value = without(happy.value, event.petId);
      });
    }
  };

  const loadRules = (): void => {
    options.fetchRules().then(
      (loaded) => {
        rules.value = loaded;
      },
      // It comes with the next connection, or a little later on this one.
      () => systemPlatform.after(3_000, () => connection.value.phase === 'online' && loadRules()),
    );
  };

  const seen = memory.seen;
  const follower = followHome({
    client,
    tokens: {
      load: () => memory.token,
      save: (token) => {
        memory.token = token;
      },
    },
    ...(seen ? { since: seen } : {}),
    onHome: (shown) => {
      for (const pet of shown.pets) names.set(pet.id, pet.name);
      home.value = shown;
      if (!shown.pets.some((pet) => pet.id === chosen.value)) chosen.value = shown.pets[0]?.id ?? '';
      drawNow();
    },
    onEvents: (events, isMissed) => {
      for (const event of events) note(event);
      newspaper.hear(events, isMissed);
    },
    onNewLog: (start) => {
      newspaper.forget(start);
      memory.seen = start;
      toasts.show('plain', language.words.value.news.newLog);
    },
    onConnection: (now) => {
      if (connection.value.phase === 'online' && now.phase !== 'online') newspaper.lookAway();
      connection.value = now;
      if (now.phase !== 'online') return;
      loadRules();
      // Without a place that was kept, what comes from now on is news.
      memory.seen ??= follower.cursor;
    },
  });

  const mark = (key: string, what: string | undefined): void => {
    const marked = new Map(pending.value);
    if (what === undefined) marked.delete(key);
    else marked.set(key, what);
    pending.value = marked;
  };

  const refuse = ({ code, params }: Rejection): void =>
    toasts.show('no', language.words.value.refusals[code]?.(params) ?? language.words.value.news.unanswered);

  /** Answers the reply, or undefined when it was refused, which the player was told then. */
  const run = async (key: string, what: string, command: Promise<Reply>): Promise<Reply | undefined> => {
    mark(key, what);
    try {
      return await command;
    } catch (error) {
      if (error instanceof CommandRefused) refuse(error.rejection);
      return undefined;
    } finally {
      mark(key, undefined);
    }
  };

  document.addEventListener('visibilitychange', () => {
    if (document.hidden) newspaper.lookAway();
    else {
      follower.resync();
      newspaper.lookAgain();
    }
  });
  addEventListener('online', () => follower.resync());
  addEventListener('pageshow', () => follower.resync());

  return {
    language,
    toasts,
    home,
    rules,
    connection,
    chosen,
    pending,
    happy,
    undoable,
    away: newspaper.away,
    nameOf,
    isFast: computed(() => longestMealMs(rules.value) <= FAST_MEAL_MS),
    longestMealMs: computed(() => longestMealMs(rules.value)),
    nowMs: () => follower.nowMs() ?? 0,
    putAway: newspaper.put,
    retry: () => follower.resync(),
    beginAnew: (): void => {
      memory.seen = undefined;
      follower.signInAnew();
    },
    adopt: async (name: string, species: string): Promise<boolean> => {
      const reply = await run('', 'adopt', follower.adopt(name, species));
      if (reply?.petId) chosen.value = reply.petId;
      return reply !== undefined;
    },
    feed: (pet: ShownPet, food: string) => run(pet.id, food, follower.feed(pet.id, food)),
    /** `isWasteAccepted`: the player was asked. */
    useCard: (pet: ShownPet, card: string, facts: Card, count: number, isWasteAccepted: boolean) =>
      run(
        pet.id,
        card,
        follower.useCard({
          petId: pet.id,
          feedingId: pet.feedingId,
          card,
          count,
          ...(facts.effect === 'cut' && !isWasteAccepted ? { maxWastedMs: acceptedWasteMs(facts, count) } : {}),
        }),
      ),
    disarm: (pet: ShownPet, count: number) => run(pet.id, 'disarm', follower.disarm(pet.id, count)),
    stop: (pet: ShownPet) => run(pet.id, 'stop', follower.stop(pet.id, pet.feedingId)),
    release: (pet: ShownPet) => run(pet.id, 'release', follower.release(pet.id)),
    quoteCard: (pet: ShownPet, card: string, count: number) =>
      follower.quote('home:use-card', { petId: pet.id, feedingId: pet.feedingId, card, count }),
    quoteStop: (pet: ShownPet) => follower.quote('home:stop', { petId: pet.id, feedingId: pet.feedingId }),
  };
};

export type Game = ReturnType<typeof createGame>;

const longestMealMs = (rules: Rules | undefined): number =>
  Math.max(0, ...Object.values(rules?.foods ?? {}).map((food) => food.workMs)) || Number.POSITIVE_INFINITY;

/** What a player has just done here is seen on the pet itself: it is only read aloud. */
const isShownAnyway = (event: HomeEvent): event is EventOf<'pet-adopted' | 'card-used' | 'feeding-started'> =>
  event.type === 'pet-adopted' || event.type === 'card-used' || event.type === 'feeding-started';

const withOne = (set: ReadonlySet<string>, one: string): ReadonlySet<string> => new Set([...set, one]);
const without = (set: ReadonlySet<string>, one: string): ReadonlySet<string> =>
  new Set([...set].filter((other) => other !== one));
