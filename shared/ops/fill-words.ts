import type { Items } from '../items.ts';
import type { OpsModule } from './ops-thing.ts';

/** The formats of values for a reader. */
export interface Formats {
  readonly number: (value: number) => string;
  /** A duration; `signed` also shows the sign of a shift. */
  readonly span: (ms: number) => string;
  readonly signed: (ms: number) => string;
  readonly instant: (atMs: number) => string;
  /** Items given (+) and taken (-). */
  readonly items: (deltas: Items) => string;
}

/** Fills a module's template (`Words`) with values of an event or thing. Never throws, whatever both are. */
export const fillWords = (template: string, facts: object, formats: Formats): string =>
  template
    .replaceAll(OPTIONAL, (_, path: string, wanted: string | undefined, text: string) =>
      isMeant(valueAt(facts, path), wanted) ? text : '',
    )
    .replaceAll(FIELD, (_, path: string) => shown(path, valueAt(facts, path), formats));

/** The text for a module without words: the fields by name. */
export const fieldsText = (facts: object, formats: Formats): string =>
  leavesOf(facts)
    .map(([path, value]) => `${path.slice(path.lastIndexOf('.') + 1)} ${shown(path, value, formats)}`)
    .join(', ');

const FIELD = /\{([\w.-]+)\}/g;
const OPTIONAL = /\[([\w.-]+)(?:=([\w-]*))?\?((?:[^[\]])*)\]/g;
/** A number above it (30 years) is an instant since 1970, whatever its name. */
const LONGEST_SPAN_MS = 1e12;
/** `Date` has no instant beyond it. */
const LAST_MS = 8.64e15;
/** Deeper fields are not readable at a glance. */
const DEPTH = 3;

const isMeant = (value: unknown, wanted: string | undefined): boolean => {
  if (wanted !== undefined) return String(value) === wanted;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return value !== undefined && value !== null && value !== '' && value !== 0 && value !== false;
};

/** A field of a list is the field of each entry. */
const valueAt = (facts: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => {
    if (Array.isArray(value)) return value.map((entry) => ownOf(entry, name));
    return ownOf(value, name);
  }, facts);

const ownOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;

const shown = (path: string, value: unknown, formats: Formats): string => {
  const name = path.slice(path.lastIndexOf('.') + 1);
  if (Array.isArray(value)) return value.map((entry) => shown(path, entry, formats)).join(' + ');
  if (name === 'items' && isRecord(value)) return formats.items(value as Items);
  if (typeof value !== 'number') return isRecord(value) ? JSON.stringify(value) : String(value ?? '');
  if (Math.abs(value) > LAST_MS) return formats.number(value);
  if (name === 'byMs') return formats.signed(value);
  const isMs = name.endsWith('Ms');
  if (/At(Ms)?$/.test(name) || (isMs && value >= LONGEST_SPAN_MS)) return formats.instant(value);
  return isMs ? formats.span(value) : formats.number(value);
};

const leavesOf = (value: object, prefix = '', depth = DEPTH): readonly (readonly [string, unknown])[] =>
  Object.entries(value).flatMap(([name, inner]): readonly (readonly [string, unknown])[] => {
    const path = `${prefix}${name}`;
    if (inner === undefined || inner === null) return [];
    if (!isRecord(inner) || name === 'items') return [[path, inner]];
    return depth > 1 ? leavesOf(inner, `${path}.`, depth - 1) : [];
  });

const isRecord = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** The modules' words in the reader's language. */
export interface ModuleWords {
  /** The text of an event beside its time; undefined: no module has words for it. */
  event(type: string, facts: object, formats: Formats): string | undefined;
  /** The text of a thing beside its name and due time. */
  thing(module: string, state: object, formats: Formats): string;
  /** The text of a refusal; undefined: no module has one. */
  refusal(code: string): string | undefined;
}

/** The modules' words in this language; English for missing ones. */
export const wordsOf = (modules: readonly OpsModule[], language: string): ModuleWords => {
  const spoken = modules.flatMap(({ words }) => [words.en, words[language]]);
  const events = new Map(spoken.flatMap((words) => Object.entries(words?.events ?? {})));
  const refusals = new Map(spoken.flatMap((words) => Object.entries(words?.refusals ?? {})));
  const things = new Map(modules.map(({ name, words }) => [name, words[language]?.thing ?? words.en?.thing]));
  return {
    refusal: (code) => refusals.get(code),
    event: (type, facts, formats) => {
      const template = events.get(type);
      return template === undefined ? undefined : fillWords(template, facts, formats);
    },
    thing: (module, state, formats) => {
      const template = things.get(module);
      return template === undefined ? fieldsText(state, formats) : fillWords(template, state, formats);
    },
  };
};
