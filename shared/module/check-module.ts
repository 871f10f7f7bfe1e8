import type { z } from 'zod';
import { flawText, isPlain, jsonFlaw } from '../json-flaw.ts';
import { readOptions } from '../options/read-options.ts';
import { type FaultAt, judged, reading } from '../options/schema.ts';
import { callable, fields, list, objectOf, textUpTo, value, whole } from '../options/shapes.ts';
import { shown } from '../options/shown.ts';
import { ASYNC, hasAsyncPart } from './async-schema.ts';

const NAME = /^[a-z][a-z0-9-]{0,31}$/;
const LONGEST_ITEM = 128;
const MOST_THINGS = 1_000_000;
/** Fields that the engine itself writes into events. */
const TAKEN_FIELDS = ['type', 'thing', 'items', 'counters', 'seq', 'at', 'v', 'commandId'];
/** Names that the engine uses itself. */
const TAKEN_NAMES = ['home', 'ops', 'into', 'left', 'items', 'by', 'reason', 'type', 'seq', 'at', 'v', 'constructor'];

const NAMED = 'give 1 to 32 of a-z, 0-9 and -, beginning with a letter';
const isName = (given: unknown): boolean => typeof given === 'string' && NAME.test(given);

export const moduleName = value<string>(
  (given) => isName(given) && !TAKEN_NAMES.includes(given as string),
  (given) => ({ remedy: isName(given) ? 'give another name: the engine uses this one itself' : NAMED }),
);

/** Recognises schemas of zod 4, zod/mini and zod 3. `flaw`: the schema cannot be used. */
const defOf = (given: unknown) => {
  const { _zod, _def } = (given ?? {}) as { _zod?: { def?: { shape?: object } }; _def?: { typeName?: unknown } };
  const isOfZod3 = _zod === undefined && _def?.typeName !== undefined;
  return { def: _zod?.def, flaw: isOfZod3 ? OF_ZOD_3 : hasAsyncPart(given) ? ASYNC : undefined };
};

const OF_ZOD_3 = {
  what: 'is a schema of zod 3',
  remedy: "Kibble reads zod 4 schemas: import from 'zod/v4', or update zod",
};

const schema = judged<z.core.$ZodType>((given) => {
  const { def, flaw } = defOf(given);
  if (flaw) return [{ at: [], ...flaw }];
  return def ? [] : [{ at: [], remedy: 'give a schema of zod 4 or zod/mini' }];
});

/** Schemas by name. No field may have the name of a field that the engine writes. */
const shapesWithout = (given: unknown, taken: readonly string[]): readonly FaultAt[] => {
  if (typeof given !== 'object' || given === null || !isPlain(given))
    return [{ at: [], remedy: 'give a plain object of z.object({ ... }) by name' }];
  return Object.entries(given).flatMap(([own, one]): readonly FaultAt[] => {
    if (!isName(own)) return [{ at: [own], what: 'is no name that can be', remedy: NAMED }];
    const { def, flaw } = defOf(one);
    if (flaw) return [{ at: [own], ...flaw }];
    if (!def?.shape)
      return [{ at: [own], what: 'is no z.object', remedy: 'give z.object({ ... }) of zod 4 or zod/mini' }];
    const clashes = Object.keys(def.shape).filter((field) => taken.includes(field));
    return clashes.map((field) => ({
      at: [own, field],
      what: 'is a field that the engine writes',
      remedy: 'rename it',
    }));
  });
};

export const wireShape = {
  messages: value(isName, NAMED).optional(),
  events: value((given) => given === '', "give '', or leave it out").optional(),
  timer: textUpTo(LONGEST_ITEM).optional(),
  thing: textUpTo(LONGEST_ITEM).optional(),
  run: textUpTo(LONGEST_ITEM).optional(),
  ids: textUpTo(LONGEST_ITEM).optional(),
};

/** A list, or a function of the config that returns one. */
const itemNames = reading<readonly string[] | ((config: never) => readonly string[])>((given, faults) =>
  typeof given === 'function' ? (given as () => readonly string[]) : texts.read(given, faults),
);

const texts = list(textUpTo(LONGEST_ITEM));

type Given<Names extends string> = { readonly [Name in Names]?: unknown };

const initial = judged<object>((given) => {
  const remedy = 'give an object: what a thing begins with, as JSON';
  if (typeof given !== 'object' || given === null) return [{ at: [], remedy }];
  const flaw = jsonFlaw(given);
  return flaw ? [{ at: [], what: flawText({ ...flaw, path: flaw.path.slice(0, 100) }), remedy }] : [];
});

export const contractShape = {
  name: moduleName,
  version: whole({ min: 1, max: 32_767 }).optional(),
  thing: schema,
  initial,
  items: itemNames.optional(),
  config: schema.optional(),
  configFaults: callable.optional(),
  events: judged((given) => shapesWithout(given, TAKEN_FIELDS)),
  commands: judged((given) => shapesWithout(given, ['commandId', 'type'])),
  serverOnly: list(textUpTo(LONGEST_ITEM)).optional(),
  maxThings: whole({ min: 1, max: MOST_THINGS }).optional(),
  wire: fields(wireShape).optional(),
};

const rule = callable.optional();

/** Optional rules of a module. */
const callables = <Name extends string>(...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, rule])) as Record<Name, typeof rule>;

export const rulesShape = {
  decide: objectOf('give an object: functions by name'),
  evolve: objectOf('give an object: functions by name'),
  ...callables('dueAtMs', 'complete', 'waitingSinceMs', 'goOn', 'starter', 'open', 'renew'),
  ...callables('shift', 'stop', 'arrive', 'run', 'title'),
  words: objectOf('give an object: words by language').optional(),
  ...callables('limit', 'reply', 'inTransaction', 'doneOf'),
  older: fields({ thing: callable, event: callable }).optional(),
};

const contractFaults = ({
  events,
  commands,
  serverOnly,
  wire: names,
}: Given<keyof typeof contractShape>): FaultAt[] => {
  const field = (names as { readonly thing?: string } | undefined)?.thing;
  const clashes = field === undefined ? [] : shapesWithout(events, [field]).filter(({ at }) => at.length > 1);
  const missing = Object.entries(serverOnly ?? {}).filter(
    ([, own]) => typeof own === 'string' && !keysOf(commands).includes(own),
  );
  return [
    ...clashes.map(({ at, ...fault }) => ({ ...fault, at: ['events', ...at] })),
    ...missing.map(([at, own]) => ({
      at: ['serverOnly', Number(at)],
      what: `is ${shown(own)}, which is no command`,
      remedy: 'name a command, or leave it out',
    })),
  ];
};

const keysOf = (given: unknown): readonly string[] =>
  typeof given === 'object' && given !== null ? Object.keys(given) : [];

/** Rules that the contract needs and `rules` lacks, and rules without their counterpart. */
const rulesFaults = (
  contract: Given<'commands' | 'events'>,
  rules: Given<keyof typeof rulesShape>,
): readonly FaultAt[] => {
  const halves = [
    ['dueAtMs', 'complete'],
    ['waitingSinceMs', 'goOn'],
  ] as const;
  return [
    ...missingIn('decide', rules.decide, contract.commands),
    ...missingIn('evolve', rules.evolve, contract.events),
    ...halves.flatMap(([one, other]) => {
      if ((rules[one] === undefined) === (rules[other] === undefined)) return [];
      const [there, missing] = rules[one] === undefined ? [other, one] : [one, other];
      return [{ at: [missing], what: 'is missing', remedy: `${there} and ${missing} belong together` }];
    }),
  ];
};

const missingIn = (part: 'decide' | 'evolve', given: unknown, contract: unknown): readonly FaultAt[] => {
  const [rules, wanted] = [(given ?? {}) as Readonly<Record<string, unknown>>, keysOf(contract)];
  // Every object inherits a function named `constructor`, which is no rule.
  const ruleOf = (own: string): unknown =>
    Object.hasOwn(rules, own) || !(own in Object.prototype) ? rules[own] : undefined;
  const wrong = wanted.filter((own) => typeof ruleOf(own) !== 'function');
  const tooMuch = keysOf(given).filter((own) => !wanted.includes(own));
  return [
    ...wrong.map((own) => ({ at: [part, own], what: `is ${shown(ruleOf(own))}`, remedy: 'give the rule, a function' })),
    ...tooMuch.map((own) => ({ at: [part, own], what: 'is of nothing in the contract', remedy: 'mend the name' })),
  ];
};

/** Fields that remain on a module that is made from rules. */
const MADE = { given: true, catalogue: true };

/** The next version may be made from a module, `{ ...village, version: 2 }`: the old rules in it are not checked. */
const contractSchema = fields(contractShape, contractFaults, { ...rulesShape, ...MADE });

/** Any module, as passed to `createKibble`. */
export const moduleSchema = fields(
  { ...contractShape, ...rulesShape },
  (given) => [...contractFaults(given), ...rulesFaults(given, given)],
  MADE,
);

/** Reads a contract. Throws `OptionsRefused` for an invalid name or field. */
export const readContract = <Given extends object>(contract: Given): Given =>
  readOptions(contractSchema, contract, 'defineModule') as Given;

/** Reads the rules of a contract. Throws `OptionsRefused` for a missing or unknown rule. */
export const readRules = (contract: Given<'name' | 'commands' | 'events'>, rules: object): object => {
  const ofContract = fields(rulesShape, (given) => rulesFaults(contract, given));
  return readOptions(ofContract, rules, `the rules of the module ${String(contract.name)}`);
};
