import { computed, signal } from '@preact/signals';
import type { Catalogue } from '../../../shared/pets/catalogue.ts';
import type { PetEventOf as EventOf } from '../../../shared/pets/events.ts';
import { shownPets } from '../../../shared/pets/shown-pet.ts';
import type { Rejection } from '../../../shared/protocol.ts';
import {
  CommandRefused,
  type Connection,
  followHome,
  type HomeFollower,
  type SdkClient,
} from '../../follow/follow-home.ts';
import { systemPlatform } from '../../follow/platform.ts';
import { createDeeds } from './deeds.ts';
import type { Language } from './language.ts';
import type { Memory } from './memory.ts';
import { type GameEvent, type GameHome, type GameModules, isOfTown, type TownEvent } from './modules.ts';
import { createNewspaper } from './newspaper.ts';
import { createPetNotes } from './pet-notes.ts';
import { tellTown } from './tell-town.ts';
import { tellPets } from './telling.ts';
import { drawNow } from './ticker.ts';
import { createToasts } from './toasts.ts';
import { nameOfThing, type TownRules } from './town.ts';

/** The result of `GET /rules.json`, and the town of `GET /works.json`. */
export type PageRules = Pick<Catalogue, 'species' | 'foods' | 'cards' | 'levels' | 'limits'> & {
  readonly town?: TownRules;
};

export interface GameOptions {
  readonly client: SdkClient;
  readonly memory: Memory;
  readonly language: Language;
  readonly fetchRules: () => Promise<PageRules>;
}

/** If meals are not longer than this, the rules are for trying out. */
const FAST_MEAL_MS = 120_000;
/** Rules that could not be fetched are fetched with the next connection, or after this time. */
const RULES_AGAIN_MS = 3_000;
/** The rules may come from another process than the message: that process reads new rules within half a second. */
const OTHER_PROCESS_MS = 1_000;
const hasEnded: ReadonlySet<string> = new Set(['feeding/already-done', 'pet/not-eating', 'works/already-done']);

/** The page's state and the player's actions. Nothing changes here before the server has confirmed it. */
export const createGame = (options: GameOptions) => {
  const { memory } = options;
  const shown = createShown(options);
  const { language, toasts, rules, chosen, notes, nameOf } = shown;
  const whyNot = ({ code, params }: Rejection): string =>
    language.words.value.refusals[code]?.(params) ?? language.words.value.news.unanswered;
  const refuse = (rejection: Rejection): void => toasts.show('no', whyNot(rejection));
  const deeds = createDeeds({
    follower: () => follower,
    onRefused: refuse,
    onAdopted: (petId) => {
      chosen.value = petId;
    },
  });
  const newspaper = createNewspaper({
    levels: shown.levels,
    onTell: (event) => tellNow(event, shown, deeds.pending.value),
    onSeen: () => {
      memory.seen = follower.cursor;
    },
    nowMs: () => follower.nowMs(),
    isHidden: () => document.hidden,
    isOnline: () => shown.connection.value.phase === 'online',
  });
  const follower: HomeFollower<GameModules> = follow(options, shown, newspaper);
  watchWindow(follower, newspaper);

  return {
    language,
    toasts,
    home: shown.home,
    rules,
    connection: shown.connection,
    chosen,
    happy: notes.happy,
    undoable: notes.undoable,
    away: newspaper.away,
    nameOf,
    thingName: shown.thingName,
    isFast: computed(() => longestMealMs(rules.value) <= FAST_MEAL_MS),
    longestMealMs: computed(() => longestMealMs(rules.value)),
    nowMs: () => follower.nowMs() ?? 0,
    putAway: newspaper.put,
    whyNot,
    refuse,
    /** For a question about stopping something: that it has ended, the player sees anyway. */
    refuseQuote: (error: unknown): void => {
      if (error instanceof CommandRefused && !hasEnded.has(error.rejection.code)) refuse(error.rejection);
    },
    retry: () => follower.resync(),
    beginAnew: (): void => {
      memory.seen = undefined;
      follower.signInAnew();
    },
    ...deeds,
  };
};

export type Game = ReturnType<typeof createGame>;

type Shown = ReturnType<typeof createShown>;
type Newspaper = ReturnType<typeof createNewspaper>;

const createShown = ({ language }: GameOptions) => {
  const rules = signal<PageRules | undefined>(undefined);
  const notes = createPetNotes();
  const told = signal<GameHome | undefined>(undefined);
  const levels = (): readonly number[] => rules.value?.levels ?? [0];
  return {
    language,
    rules,
    /** How often rules were requested. */
    loads: 0,
    notes,
    toasts: createToasts(),
    told,
    /** The home with its pets as they are drawn. */
    home: computed(() => told.value && { ...told.value, pets: shownPets(told.value.things.pets, levels()) }),
    connection: signal<Connection>({ phase: 'connecting' }),
    chosen: signal(''),
    levels,
    nameOf: (petId: string): string => notes.nameOf(petId) ?? language.words.value.away.somebody,
    thingName: (id: string): string => {
      const [words, formats] = [language.words.value, language.formats.value];
      return nameOfThing(id, { home: told.value, rules: rules.value?.town, words, formats });
    },
  };
};

const tellNow = (event: GameEvent, shown: Shown, pending: ReadonlyMap<string, string>): void => {
  if (isOfTown(event)) {
    tellOfTown(event, shown);
    return;
  }
  const { language, toasts, levels, nameOf } = shown;
  const facts = { words: language.words.value, formats: language.formats.value, levels: levels(), nameOf };
  const isSeen = isShownAnyway(event) && pending.has(event.type === 'pet-adopted' ? '' : event.petId);
  for (const { kind, text } of tellPets(event, facts)) {
    if (isSeen) toasts.say(text);
    else toasts.show(kind, text);
  }
};

const tellOfTown = (event: TownEvent, { language, toasts, thingName }: Shown): void => {
  const facts = { words: language.words.value, formats: language.formats.value, nameOf: thingName };
  for (const { kind, text, isSeen } of tellTown(event, facts)) {
    if (isSeen) toasts.say(text);
    else toasts.show(kind, text);
  }
};

const follow = (
  { client, memory, fetchRules }: GameOptions,
  shown: Shown,
  newspaper: Newspaper,
): HomeFollower<GameModules> => {
  const { told, home, connection, chosen, notes, toasts, language } = shown;
  const { seen } = memory;
  const follower: HomeFollower<GameModules> = followHome<GameModules>({
    client,
    tokens: {
      load: () => memory.token,
      save: (token) => {
        memory.token = token;
      },
    },
    ...(seen ? { since: seen } : {}),
    onHome: (now) => {
      told.value = now;
      const pets = home.value?.pets ?? [];
      notes.see(pets);
      if (!pets.some((pet) => pet.id === chosen.value)) chosen.value = pets[0]?.id ?? '';
      drawNow();
    },
    onEvents: (events, isMissed) => {
      for (const event of events) notes.hear(event);
      newspaper.hear(events, isMissed);
    },
    onNewLog: (start) => {
      newspaper.forget(start);
      memory.seen = start;
      toasts.show('plain', language.words.value.news.newLog);
    },
    onRules: () => {
      loadRules(fetchRules, shown);
      systemPlatform.after(OTHER_PROCESS_MS, () => loadRules(fetchRules, shown));
    },
    onConnection: (now) => {
      if (connection.value.phase === 'online' && now.phase !== 'online') newspaper.lookAway();
      connection.value = now;
      if (now.phase !== 'online') return;
      newspaper.stay();
      loadRules(fetchRules, shown);
      // Without a stored place, news begin now.
      memory.seen ??= follower.cursor;
    },
  });
  return follower;
};

const loadRules = (fetchRules: GameOptions['fetchRules'], shown: Shown): void => {
  const again = (): void => {
    if (shown.connection.value.phase === 'online') loadRules(fetchRules, shown);
  };
  const load = ++shown.loads;
  fetchRules().then(
    (loaded) => {
      // A later request may have its response already.
      if (load === shown.loads) shown.rules.value = loaded;
    },
    () => systemPlatform.after(RULES_AGAIN_MS, again),
  );
};

const watchWindow = (follower: HomeFollower<GameModules>, newspaper: Newspaper): void => {
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) newspaper.lookAway();
    else {
      follower.resync();
      newspaper.lookAgain();
    }
  });
  addEventListener('online', () => follower.resync());
  addEventListener('pageshow', () => follower.resync());
};

const longestMealMs = (rules: PageRules | undefined): number =>
  Math.max(0, ...Object.values(rules?.foods ?? {}).map((food) => food.workMs)) || Number.POSITIVE_INFINITY;

/** The pet itself shows what the player has just done: the event is only read aloud. */
const isShownAnyway = (event: GameEvent): event is EventOf<'pet-adopted' | 'card-used' | 'feeding-started'> =>
  event.type === 'pet-adopted' || event.type === 'card-used' || event.type === 'feeding-started';
