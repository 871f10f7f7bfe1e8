import { levelOf } from '../../../shared/pets/catalogue.ts';
import type { PetEventOf as EventOf } from '../../../shared/pets/events.ts';
import type { PageWords } from '../words/en.ts';
import type { PageFormats } from '../words/formats.ts';
import { isOfPet, type PetsNews } from './modules.ts';
import type { ToastKind } from './toasts.ts';

export interface Telling {
  readonly kind: ToastKind;
  readonly text: string;
}

export interface TellingFacts {
  readonly words: PageWords;
  readonly formats: PageFormats;
  readonly levels: readonly number[];
  readonly nameOf: (petId: string) => string;
}

/** The text of an event: one line, two if a level was reached, none if there is nothing to say. */
export const tellPets = (event: PetsNews, facts: TellingFacts): readonly Telling[] => {
  const { words, formats } = facts;
  const { news } = words;
  const name = isOfPet(event) ? facts.nameOf(event.petId) : '';
  const at = isOfPet(event) && 'dueAt' in event ? formats.clock(event.dueAt, event.at) : '';
  switch (event.type) {
    case 'pet-adopted':
      return [good(news.adopted({ name: event.name }))];
    case 'feeding-started': {
      const started = event.by === 'card' ? news.autoStarted : news.started;
      return [plain(started({ name, food: formats.item(event.food), at }))];
    }
    case 'card-used':
      return [plain(cardUsed(event, name, at, words))];
    case 'feeding-completed':
      return [good(news.completed({ name, xp: event.xp })), ...levelUp(event, name, facts)];
    case 'feeding-stopped':
      return [plain(news.stopped({ name })), ...back(event.items, facts)];
    case 'auto-feed-blocked':
      return [plain(news.blocked({ name, food: formats.item(event.food) }))];
    case 'auto-feed-disarmed':
      return back(event.items, facts);
    case 'items-granted':
      return granted(event, facts);
    case 'pet-released':
      return [plain(news.released({ name }))];
    case 'feeding-shifted':
      return [plain(news.shifted({ name, at }))];
    case 'player-frozen':
      return [plain(news.frozen({}))];
    case 'player-unfrozen':
      return [good(news.unfrozen({}))];
    case 'home-merged':
      return [plain(news.merged({}))];
    case 'home-received':
      return [good(news.received({})), ...back(event.items, facts)];
    case 'module-opened':
      return event.items ? [good(words.town.news.opened({ items: formats.items(event.items) }))] : [];
    case 'thing-arrived':
      return [];
    case 'pet-arrived':
      return [good(news.adopted({ name: event.name }))];
    default:
      return event satisfies never;
  }
};

const good = (text: string): Telling => ({ kind: 'good', text });
const plain = (text: string): Telling => ({ kind: 'plain', text });

const cardUsed = (event: EventOf<'card-used'>, name: string, at: string, { news }: PageWords): string => {
  switch (event.effect) {
    case 'cut':
      return event.workLeftMs === 0 ? news.cutDone({ name }) : news.cut({ name, at });
    case 'rate':
      return news.boosted({ name, at });
    case 'repeat':
      return news.armed({ name, count: event.autoFeeds ?? 0 });
    default:
      return event.effect satisfies never;
  }
};

const levelUp = (event: EventOf<'feeding-completed'>, name: string, { words, levels }: TellingFacts) => {
  const level = levelOf(levels, event.totalXp);
  return level > levelOf(levels, event.totalXp - event.xp) ? [good(words.news.level({ name, level }))] : [];
};

const back = (items: Readonly<Record<string, number>>, { words, formats }: TellingFacts) =>
  Object.keys(items).length > 0 ? [plain(words.news.back({ items: formats.items(items) }))] : [];

const granted = ({ items, reason }: EventOf<'items-granted'>, { words, formats }: TellingFacts): readonly Telling[] => {
  const { news } = words;
  const shown = { items: formats.items(items) };
  if (reason === 'starter') return [plain(news.starter(shown))];
  return [Object.values(items).every((count) => count < 0) ? plain(news.taken(shown)) : good(news.granted(shown))];
};
