import type { z } from 'zod';
import type { EngineType, HomeEvent } from '../../shared/event.ts';
import { freezeDeep } from '../../shared/frozen.ts';
import { handleRejections, isA } from '../../shared/game-code.ts';
import { type Counters, type Home, type MadeMaps, type Thing, thingsOf } from '../../shared/home.ts';
import { countOf, type Items } from '../../shared/items.ts';
import { flawText, jsonFlaw, type Kept } from '../../shared/json-flaw.ts';
import { LATEST_MS } from '../../shared/latest-ms.ts';
import type { Refusal } from '../../shared/module/module.ts';
import { readBySchema } from '../../shared/module/read-by-schema.ts';
import { reject } from '../../shared/protocol.ts';
import { type RefusalCode, refused } from '../../shared/result.ts';
import { isText } from '../../shared/text.ts';
import type { Drawing } from './chance.ts';
import { countersFlaw } from './counters.ts';
import { thingDueAt } from './due-of.ts';
import { evolve } from './evolve.ts';
import { faultRejection, ModuleFault, ruled } from './module-fault.ts';
import type { LoadedModule, LooseDraft, Modules, OfModule } from './modules.ts';
import { type Case, type Decision, isRefusal } from './scene.ts';

/** Collects events. Each is folded at once, so that the next rule sees its effect. */
export interface DraftLog {
  readonly home: () => Home;
  readonly events: () => readonly HomeEvent[];
  /** Throws `Impossible` if an item's count would exceed the bound. */
  readonly add: (at: number, body: { readonly type: EngineType; readonly [field: string]: unknown }) => void;
  /**
   * Adds events of a module's rule; returns their things. Throws a `ModuleFault` for an event that the contract lacks,
   * and `Impossible` if missing items would be taken or a due time lies beyond the clock's end.
   */
  readonly addOf: (at: number, by: By, drafts: readonly LooseDraft[]) => readonly string[];
}

interface By {
  readonly module: LoadedModule;
  readonly rule: string;
}

/** The engine cannot do what an event says: refuses a command; is a fault of a rule that settles. */
export class Impossible extends Error {
  readonly code: RefusalCode;
  readonly params: Readonly<Record<string, unknown>>;

  constructor(code: RefusalCode, params: Readonly<Record<string, unknown>>) {
    super(`${code} ${JSON.stringify(params)}`);
    this.name = 'Impossible';
    this.code = code;
    this.params = params;
  }
}

export const decided = (draft: DraftLog): Decision => ({ ok: true, value: draft.events(), home: draft.home() });

/** The first event gets `commandId`. */
export const draftLogOf = (modules: Modules, before: Home, commandId?: string): DraftLog => {
  const made: MadeMaps = new WeakSet();
  let home = before;
  const events: HomeEvent[] = [];
  const push = (at: number, v: number, body: Body): void => {
    if (body.items) checkStock(home.items, body.items);
    const isFirst = events.length === 0;
    const place = { v, seq: home.seq + 1, at };
    const event: HomeEvent = { ...place, ...(isFirst && commandId !== undefined ? { commandId } : {}), ...body };
    Object.freeze(event);
    home = evolve(modules, home, event, made);
    events.push(event);
  };
  return {
    home: () => home,
    events: () => events,
    add: (at, body) => {
      freezeDeep(body);
      push(at, 1, body);
    },
    addOf: (at, by, drafts) =>
      drafts.map((draft) => {
        const { module } = by;
        const { id, body } = bodyOf(by, draft);
        const earlier = thingsOf(home, module.name)[id];
        const flaw = body.counters && countersFlaw(home.counters, module.name, body.counters);
        if (flaw) throw new ModuleFault(faultAt(by, id), flaw);
        if (body.items && !SETTLES.has(by.rule)) checkDeclared(modules, home, { by, id, earlier, items: body.items });
        push(at, module.version, body);
        checkThing(by, home, { id, isNew: !earlier });
        return id;
      }),
  };
};

type Body = Readonly<Record<string, unknown>> & {
  readonly type: string;
  readonly items?: Items;
  readonly counters?: Counters;
};

/** Rules that complete earlier orders, made under earlier rules: no command is refused because of them. */
const SETTLES: ReadonlySet<string> = new Set(['complete', 'goOn', 'arrive']);

/** Checks the thing that an event made. A merge may exceed the bound; a home with too many things gets no more. */
const checkThing = (by: By, home: Home, { id, isNew }: { readonly id: string; readonly isNew: boolean }): void => {
  const { module } = by;
  const things = thingsOf(home, module.name);
  const thing = things[id];
  if (!thing) return;
  const flaw = keptFlaw(thing);
  if (flaw) {
    handleRejections(thing);
    throw new ModuleFault(faultAt(by, id), `the thing can't be kept: ${flaw}`);
  }
  if (isNew && by.rule !== 'arrive' && Object.keys(things).length > module.maxThings) {
    throw new Impossible('module/too-many', { module: module.name, max: module.maxThings });
  }
  const dueAt = thingDueAt(module, id, thing);
  if (dueAt !== undefined && dueAt >= LATEST_MS) {
    throw new Impossible('thing/too-long', { module: module.name, thing: id, dueAt, latestAt: LATEST_MS });
  }
};

const faultAt = ({ module, rule }: By, thing: unknown) => ({
  module: module.name,
  thing: typeof thing === 'string' ? thing : undefined,
  rule,
});

/** The id is part of index keys, which have a bounded length. */
const LONGEST_ID = 256;

const bodyOf = (by: By, draft: LooseDraft): { readonly id: string; readonly body: Body } => {
  const { module } = by;
  const { type, thing: id, items, counters, ...fields } = draft;
  const fault = (what: string): ModuleFault => {
    handleRejections(draft);
    return new ModuleFault(faultAt(by, id), what);
  };
  const schema = typeof type === 'string' ? module.events.get(type) : undefined;
  if (!schema) throw fault(`it returns the event ${shown(type)}, which is not in its contract`);
  if (typeof id !== 'string' || id === '') {
    throw fault(`the event ${type} needs a thing, the id of what it is about`);
  }
  if (!isText(id) || id.length > LONGEST_ID) {
    throw fault(`the event ${type} is of a thing whose id is not text of 1 to ${LONGEST_ID} characters`);
  }
  const read = readBySchema(schema, fields);
  if (!read.success) throw fault(`the event ${type} is not as its contract says: ${faultsIn(read.error)}`);
  const own = read.data as object;
  const flaw = keptFlaw(own, items, counters);
  if (flaw) throw fault(`the event ${type} can't be kept: ${flaw}`);
  for (const [item, count] of Object.entries(items ?? {})) {
    if (!Number.isSafeInteger(count)) throw fault(`items.${item} is no whole number`);
  }
  const body = { type: module.eventPrefix + type, [module.thingField]: id, ...own };
  return { id, body: { ...body, ...(items && { items }), ...(counters && { counters }) } };
};

/** The JSON of an event, and of a thing. */
const MOST_BYTES = 1_000_000;

/** The flaw of what is kept together; from now on it is frozen. Only long JSON is written to be measured. */
const keptFlaw = (own: object, items?: Items, counters?: Counters): string | undefined => {
  const kept: Kept = { sixths: 0 };
  const flaw =
    jsonFlaw(own, 0, kept) ?? (items && jsonFlaw(items, 0, kept)) ?? (counters && jsonFlaw(counters, 0, kept));
  if (flaw) return flawText(flaw);
  if (kept.sixths * 6 <= MOST_BYTES) return undefined;
  const bytes = Buffer.byteLength(JSON.stringify([own, items, counters]));
  return bytes > MOST_BYTES ? `is longer than ${MOST_BYTES} bytes as JSON` : undefined;
};

const shown = (type: unknown): string => (typeof type === 'string' ? type : `without a name`);

const faultsIn = (error: z.core.$ZodError): string =>
  error.issues.map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message)).join('; ');

const checkStock = (have: Items, deltas: Items): void => {
  for (const [item, delta] of Object.entries(deltas)) {
    const count = countOf(have, item);
    if (delta < 0 && count + delta < 0) throw new Impossible('item/out-of-stock', { item, have: count, need: -delta });
    if (delta > 0 && count + delta > Number.MAX_SAFE_INTEGER) {
      throw new Impossible('item/too-many', { item, have: count, more: delta });
    }
  }
};

/** An item that a thing got under earlier rules may leave the thing: then the thing's state names it. */
const checkDeclared = (
  modules: Modules,
  home: Home,
  {
    by,
    id,
    earlier,
    items,
  }: { readonly by: By; readonly id: string; readonly earlier: Thing | undefined; readonly items: Items },
): void => {
  for (const [item, delta] of Object.entries(items)) {
    if (delta <= 0 || modules.uses(item) || countOf(home.items, item) > 0) continue;
    if (earlier && JSON.stringify(earlier).includes(JSON.stringify(item))) continue;
    throw new ModuleFault(faultAt(by, id), `it gives ${item}, an item that nobody declares: name it in items`);
  }
};

/**
 * The events of a rule, or its refusal. Missing items refuse the command. A draw must not decide whether a command is
 * accepted: a refused player would learn the draw and wait for a better one.
 */
export const ruleDecision = (
  { modules, home, commandId, nowMs }: Omit<Case, 'command'>,
  { module, own: rule, drawing }: OfModule & { readonly drawing?: Drawing },
  call: () => readonly LooseDraft[] | Refusal | undefined,
): Decision => {
  const at = { module: module.name, rule };
  const decision = drafted(() => {
    const answer = call() ?? [];
    drawing?.end();
    if (isRefusal(answer)) return refused(reject(answer.code, answer.params));
    if (answer.length === 0) throw new ModuleFault(at, 'it returns neither event nor refusal');
    const draft = draftLogOf(modules, home, commandId);
    ruled(at, () => draft.addOf(nowMs, { module, rule }, answer));
    return decided(draft);
  });
  if (decision.ok || decision.fault || !drawing?.hasDrawn()) return decision;
  const { code, params } = decision.error;
  const what = `it is refused after a draw (${code} ${JSON.stringify(params)}): ask first for all that may be refused`;
  const fault = new ModuleFault(at, what);
  return { ...refused(faultRejection(fault)), fault };
};

/** Decides by writing events; refuses if they are impossible or a rule failed. */
export const drafted = (write: () => Decision): Decision => {
  try {
    return write();
  } catch (error) {
    return refusalOf(error);
  }
};

/** The refusal for a failed rule; throws any other error. */
const refusalOf = (error: unknown): Decision => {
  const cause = error instanceof ModuleFault ? error.thrown : error;
  if (isA(cause, Impossible)) return refused(reject(cause.code, cause.params));
  if (error instanceof ModuleFault) return { ...refused(faultRejection(error)), fault: error };
  throw error;
};
