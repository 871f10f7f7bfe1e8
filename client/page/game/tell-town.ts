import type { PageWords } from '../words/en.ts';
import type { PageFormats } from '../words/formats.ts';
import type { TownEvent } from './modules.ts';
import type { Telling } from './telling.ts';

interface TownFacts {
  readonly words: PageWords;
  readonly formats: PageFormats;
  readonly nameOf: (thing: string) => string;
}

/** The text of a town event. `isSeen`: the thing itself shows it, so it is only read aloud. */
export const tellTown = (
  event: TownEvent,
  { words, formats, nameOf }: TownFacts,
): readonly (Telling & { readonly isSeen?: true })[] => {
  const { news } = words.town;
  const name = nameOf(event.thing);
  const seen = (text: string) => [{ kind: 'plain', text, isSeen: true } as const];
  switch (event.type) {
    case 'town/placed':
      return seen(news.placed({ name: formats.thing(event.name) }));
    case 'town/ordered':
      return seen(news.ordered({ name, activity: formats.activity(event.order.activity) }));
    case 'town/started':
      return seen(
        news.started({ name, activity: formats.doing(event.activity), at: formats.clock(event.dueAt, event.at) }),
      );
    case 'town/card-used':
    case 'town/shifted':
      return seen(news.carded({ name, at: formats.clock(event.dueAt, event.at) }));
    case 'town/finished':
    case 'town/done':
      return [
        event.level === undefined
          ? { kind: 'good', text: news.finished({ name, activity: formats.activity(event.activity) }) }
          : { kind: 'good', text: news.level({ name, level: event.level }) },
      ];
    case 'town/collected':
      return event.items ? [{ kind: 'good', text: news.collected({ items: formats.items(event.items) }) }] : [];
    case 'town/cancelled':
      return event.items ? [{ kind: 'plain', text: news.back({ items: formats.items(event.items) }) }] : [];
    case 'town/reordered':
    case 'town/renewed':
    case 'town/removed':
      return [];
    default:
      return event satisfies never;
  }
};
