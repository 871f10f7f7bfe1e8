import type { OpsModule } from './ops-thing.ts';
import { type Formats, tell, tellFields } from './tell.ts';

/** What modules bring to be read, in the reader's language. */
export interface ModuleWords {
  /** What is said of an event beside its time; undefined: no module has words for it. */
  event(type: string, facts: object, formats: Formats): string | undefined;
  /** What is said of a thing beside its name and its due time. */
  thing(module: string, state: object, formats: Formats): string;
  /** Why it refused; undefined: no module says it. */
  refusal(code: string): string | undefined;
}

/** The modules' words in this language; in English what they do not have in it. */
export const wordsOf = (modules: readonly OpsModule[], language: string): ModuleWords => {
  const spoken = modules.flatMap(({ words }) => [words.en, words[language]]);
  const events = new Map(spoken.flatMap((words) => Object.entries(words?.events ?? {})));
  const refusals = new Map(spoken.flatMap((words) => Object.entries(words?.refusals ?? {})));
  const things = new Map(modules.map(({ name, words }) => [name, words[language]?.thing ?? words.en?.thing]));
  return {
    refusal: (code) => refusals.get(code),
    event: (type, facts, formats) => {
      const template = events.get(type);
      return template === undefined ? undefined : tell(template, facts, formats);
    },
    thing: (module, state, formats) => {
      const template = things.get(module);
      return template === undefined ? tellFields(state, formats) : tell(template, state, formats);
    },
  };
};
