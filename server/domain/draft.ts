import { z } from 'zod';
import type { EngineType, HomeEvent } from '../../shared/event.ts';
import { type Home, type MadeMaps, thingsOf } from '../../shared/home.ts';
import { countOf, type Items } from '../../shared/items.ts';
import { LATEST_MS } from '../../shared/latest-ms.ts';
import type { RefusalCode } from '../../shared/result.ts';
import { dueOf } from './due-of.ts';
import { evolve } from './evolve.ts';
import { ModuleFault } from './module-fault.ts';
import type { LoadedModule, LooseDraft, Modules } from './modules.ts';
import type { Decision } from './scene.ts';

/** Events being written. Each is folded at once, so that the next rule sees what it did. */
export interface DraftLog {
  readonly home: () => Home;
  readonly events: () => readonly HomeEvent[];
  readonly add: (at: number, body: { readonly type: EngineType; readonly [field: string]: unknown }) => void;
  /**
   * Events of a module's rule. Throws a `ModuleFault` for one that its contract doesn't know, and `Impossible` where
   * items would be taken that aren't there, or something is due beyond the clock's end.
   */
  readonly addOf: (at: number, by: { readonly module: LoadedModule; readonly rule: string }, drafts: Drafts) => void;
}

type Drafts = readonly LooseDraft[];

/** The engine can't do what an event says: a refusal of a command, a fault of a rule that settles. */
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

/** What a command did, as its draft has it. */
export const decided = (draft: DraftLog): Decision => ({ ok: true, value: draft.events(), home: draft.home() });

/** `commandId` is put on the first event. */
export const draftLogOf = (modules: Modules, before: Home, commandId?: string): DraftLog => {
  const made: MadeMaps = new WeakSet();
  let home = before;
  const events: HomeEvent[] = [];
  const push = (at: number, v: number, body: Readonly<Record<string, unknown>> & { readonly type: string }): void => {
    const isFirst = events.length === 0;
    const place = { v, seq: home.seq + 1, at };
    const event: HomeEvent = { ...place, ...(isFirst && commandId !== undefined ? { commandId } : {}), ...body };
    home = evolve(modules, home, event, made);
    events.push(event);
  };
  return {
    home: () => home,
    events: () => events,
    add: (at, body) => push(at, 1, body),
    addOf: (at, by, drafts) => {
      for (const draft of drafts) {
        const { module } = by;
        const body = bodyOf(by, draft);
        if (draft.items) checkStock(home.items, draft.items);
        const isNew = !thingsOf(home, module.name)[draft.thing];
        push(at, module.version, body);
        checkBounds(module, home, { id: draft.thing, isNew });
      }
    },
  };
};

/** A home that has too many, by a merge or since the bound was lowered, goes on: it only gets no more. */
const checkBounds = (
  module: LoadedModule,
  home: Home,
  { id, isNew }: { readonly id: string; readonly isNew: boolean },
): void => {
  const things = thingsOf(home, module.name);
  const thing = things[id];
  if (thing && isNew && Object.keys(things).length > module.maxThings) {
    throw new Impossible('module/too-many', { module: module.name, max: module.maxThings });
  }
  const dueAt = thing && dueOf(module, id, thing);
  if (dueAt !== undefined && dueAt >= LATEST_MS) {
    throw new Impossible('thing/too-long', { module: module.name, thing: id, dueAt, latestAt: LATEST_MS });
  }
};

const faultAt = ({ module, rule }: { readonly module: LoadedModule; readonly rule: string }, draft: LooseDraft) => ({
  module: module.name,
  thing: draft.thing,
  rule,
});

const bodyOf = (
  by: { readonly module: LoadedModule; readonly rule: string },
  draft: LooseDraft,
): Readonly<Record<string, unknown>> & { readonly type: string } => {
  const { module } = by;
  const { type, thing, items, ...fields } = draft;
  const schema = module.events.get(type);
  if (!schema) throw new ModuleFault(faultAt(by, draft), `it returns the event ${type}, which is not in its contract`);
  if (typeof thing !== 'string' || thing === '') {
    throw new ModuleFault(faultAt(by, draft), `the event ${type} needs a thing, the id of what it is about`);
  }
  const read = z.core.safeParse(schema, fields);
  if (!read.success)
    throw new ModuleFault(faultAt(by, draft), `the event ${type} is not as its contract says: ${told(read.error)}`);
  return {
    type: module.eventPrefix + type,
    [module.thingField]: thing,
    ...(read.data as object),
    ...(items && { items: wholeItems(by, draft, items) }),
  };
};

const told = (error: z.core.$ZodError): string =>
  error.issues.map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message)).join('; ');

const wholeItems = (
  by: { readonly module: LoadedModule; readonly rule: string },
  draft: LooseDraft,
  items: Items,
): Items => {
  for (const [item, count] of Object.entries(items)) {
    if (!Number.isSafeInteger(count)) throw new ModuleFault(faultAt(by, draft), `items.${item} is no whole number`);
  }
  return items;
};

const checkStock = (have: Items, deltas: Items): void => {
  for (const [item, delta] of Object.entries(deltas)) {
    if (delta < 0 && countOf(have, item) + delta < 0) {
      throw new Impossible('item/out-of-stock', { item, have: countOf(have, item), need: -delta });
    }
  }
};
