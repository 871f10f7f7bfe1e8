// Calls a module's rules: an error or a forbidden return value becomes a fault that names the rule.

import { GameFault, handleRejections, isA } from '../../shared/game-code.ts';
import { type Flaw, flawText, jsonFlaw } from '../../shared/json-flaw.ts';
import { LATEST_MS } from '../../shared/latest-ms.ts';
import type { AnyModule, Rules, Shapes } from '../../shared/module/module.ts';
import { type Rejection, reject } from '../../shared/protocol.ts';
import { isText } from '../../shared/text.ts';

/** The place where a rule failed. */
export interface FaultPlace {
  readonly module: string;
  readonly thing?: string | undefined;
  readonly rule: string;
}

/** A rule of a module broke its promise. None of its work is saved; after the next deploy the home goes on from there. */
export class ModuleFault extends GameFault {
  readonly module: string;
  readonly thing: string | undefined;
  readonly rule: string;

  constructor({ module, thing, rule }: FaultPlace, thrown: unknown) {
    super(`${rule} of ${thing === undefined ? module : `${module} ${thing}`}`, thrown);
    this.name = 'ModuleFault';
    this.module = module;
    this.thing = thing;
    this.rule = rule;
  }
}

/** The refusal of a command that met the fault. */
export const faultRejection = ({ module, thing }: ModuleFault): Rejection =>
  reject('module/fault', { module, ...(thing !== undefined && { thing }) });

/** Returns the rule's result; any error becomes a fault of the rule. */
export const ruled = <Value>(at: FaultPlace, rule: () => Value): Value => {
  try {
    return rule();
  } catch (thrown) {
    throw isA(thrown, ModuleFault) ? thrown : new ModuleFault(at, thrown);
  }
};

/** The rule's answer; undefined if the rule fails: what stands still by it is shown all the same. */
export const unlessFault = <Value>(ask: () => Value): Value | undefined => {
  try {
    return ask();
  } catch (error) {
    if (isA(error, ModuleFault)) return undefined;
    throw error;
  }
};

/** The reason why a rule may not return this value; undefined: it may. */
type Look = (returned: unknown) => Flaw | undefined;
/** Picks from a rule's arguments the thing that it is asked about. */
type About = (first: unknown, second: unknown) => unknown;
type Code = (...given: readonly unknown[]) => unknown;

const wrong = (message: string): Flaw => ({ path: '', message });
const unless =
  (isRight: (returned: unknown) => boolean, message: string): Look =>
  (returned) =>
    isRight(returned) ? undefined : wrong(message);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const instant = unless(
  (at) => at === undefined || (Number.isSafeInteger(at) && Number(at) > -LATEST_MS),
  'is neither undefined nor whole epoch milliseconds',
);
const isKept = (kept: unknown): boolean => isObject(kept) && typeof kept.then !== 'function';
const stored = unless(isKept, 'is no object');
const state: Look = (returned) => (returned === undefined ? undefined : stored(returned));
const short = unless(isText, 'is no text');
/** A list may be sparse, and longer than its entries. */
const MOST_ENTRIES = 10_000;
const isListOf = (list: unknown, isRight: (entry: unknown) => boolean): boolean =>
  Array.isArray(list) && list.length <= MOST_ENTRIES && [...list].every(isRight);

const events = unless(
  (drafts) => drafts === undefined || isListOf(drafts, isKept),
  `is no array of at most ${MOST_ENTRIES} events`,
);
const decision: Look = (returned) => {
  if (!isObject(returned) || Array.isArray(returned)) return events(returned);
  return refusalFlaw(returned);
};
/** Checks a code and params that a client will read. */
export const refusalFlaw = ({
  code,
  params,
}: {
  readonly code?: unknown;
  readonly params?: unknown;
}): Flaw | undefined =>
  isText(code) && code.includes('/') && isObject(params) ? jsonFlaw(params) : wrong('is neither events nor a refusal');
const stock: Look = (items) => {
  const isStock =
    isObject(items) && Object.values(items).every((count) => Number.isSafeInteger(count) && Number(count) >= 0);
  return isStock ? jsonFlaw(items) : wrong('is no object of whole numbers of 0 or more');
};
const names = unless(
  (ids) => ids === undefined || isListOf(ids, isText),
  `is no array of at most ${MOST_ENTRIES} texts`,
);

const ofTurn: About = (turn) => isObject(turn) && turn.id;
const second: About = (_thing, id) => id;

/** All rules that the wall calls, without `words`, which is no code, and `inTransaction`, which is awaited. */
const RULES = {
  decide: { look: decision },
  evolve: { look: state, about: (_thing, event) => isObject(event) && event.thing },
  dueAtMs: { look: instant, about: second },
  complete: { look: events, about: ofTurn },
  waitingSinceMs: { look: instant, about: second },
  goOn: { look: events, about: ofTurn },
  starter: { look: stock },
  open: { look: events },
  renew: { look: events },
  shift: { look: decision, about: ofTurn },
  stop: { look: decision, about: ofTurn },
  arrive: { look: events, about: ofTurn },
  run: { look: short, about: second },
  title: { look: short, about: second },
  limit: { look: unless((most) => typeof most === 'number' && most >= 0, 'is no number of 0 or more') },
  reply: { look: (fields) => (isObject(fields) ? jsonFlaw(fields) : wrong('is no object')) },
  doneOf: { look: names },
  older: { look: stored },
} satisfies Readonly<
  Record<
    Exclude<keyof Rules<object, Shapes, Shapes>, 'words' | 'inTransaction'>,
    { readonly look: Look; readonly about?: About }
  >
>;

/** A module's rules behind the wall: an error or a forbidden return value becomes a `ModuleFault` that names the rule. */
export const walledRules = (module: AnyModule): Readonly<Record<string, unknown>> => {
  const walled = Object.entries(RULES).map(([rule, on]) => {
    const code: unknown = module[rule as keyof typeof RULES];
    if (typeof code === 'function') return [rule, wallOf({ ...on, rule, module, of: module, code: code as Code })];
    // `decide`, `evolve`, `older` have one function for each name.
    if (!isObject(code)) return [rule, undefined];
    const own = namesOf(module, rule).map((name) => [
      name,
      wallOf({ ...on, rule: `${rule}.${name}`, module, of: code, code: code[name] as Code }),
    ]);
    return [rule, Object.fromEntries(own)];
  });
  return { ...module, ...Object.fromEntries(walled) };
};

/** From the contract: an object of a class does not list its methods. */
const namesOf = ({ commands, events }: AnyModule, rule: string): readonly string[] => {
  if (rule === 'older') return ['thing', 'event'];
  return Object.keys(rule === 'decide' ? commands : events);
};

/** Calls one rule. Its arguments tell which thing it concerns, so that the good case needs no extra object. */
const wallOf = ({ module, rule, of, code, look, about }: Wall): Code => {
  const takesOne = about === second && rule !== 'run';
  return (one, two, three) => {
    try {
      const returned = takesOne ? code.call(of, one) : code.call(of, one, two, three);
      const flaw = look(returned);
      if (!flaw) return returned;
      handleRejections(returned);
      throw new TypeError(`what it returns ${flawText(flaw)}`);
    } catch (thrown) {
      if (isA(thrown, ModuleFault)) throw thrown;
      const thing = about?.(one, two);
      throw new ModuleFault(
        { module: module.name, thing: typeof thing === 'string' ? thing : undefined, rule },
        thrown,
      );
    }
  };
};

interface Wall {
  readonly module: AnyModule;
  readonly rule: string;
  /** The object whose function the rule is: its `this`. */
  readonly of: object;
  readonly code: Code;
  readonly look: Look;
  readonly about?: About;
}

/**
 * The home has things that this process cannot read: their module is missing here, or a newer version wrote them.
 * Processes that have that module go on with the home.
 */
export class ModuleMissing extends Error {
  readonly code = 'module/missing';
  readonly module: string;

  constructor(
    module: string,
    why = 'is not here',
    remedy = 'deploy it, or list it under retired if it was taken out for good',
  ) {
    super(`the module ${module} ${why}: ${remedy}`);
    this.name = 'ModuleMissing';
    this.module = module;
  }
}
