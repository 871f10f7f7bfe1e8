import { z } from 'zod';
import type { Modules } from '../../../server/domain/modules.ts';
import type { HomeEvent } from '../../../shared/event.ts';
import { type Home, newHome } from '../../../shared/home.ts';
import type { Sql } from '../../../shared/host-rows.ts';
import type { Items } from '../../../shared/items.ts';
import { type AnyModule, defineModule, type Turn } from '../../../shared/module/module.ts';

/** It is due, or waits since then, as it says itself. */
const thing = z.object({ dueAtMs: z.int().optional(), sinceMs: z.int().optional(), note: z.string().optional() });
export type Puppet = Readonly<z.infer<typeof thing>>;

/** A module with a command `say` that returns the events in it, so that a test decides what happens. */
export const puppet = (name: string, changed: Readonly<Record<string, unknown>> = {}): AnyModule => ({
  ...defineModule({
    name,
    thing,
    initial: {},
    items: ['wood', 'gold'],
    events: { set: thing, gone: z.object({}) },
    commands: { say: z.object({ events: z.array(z.looseObject({})) }) },
  }).rules({
    decide: { say: ({ payload }) => payload.events as never },
    evolve: {
      set: (_, { dueAtMs, sinceMs, note }) => ({
        ...(dueAtMs !== undefined && { dueAtMs }),
        ...(sinceMs !== undefined && { sinceMs }),
        ...(note !== undefined && { note }),
      }),
      gone: () => undefined,
    },
    dueAtMs: ({ dueAtMs }) => dueAtMs,
    complete: ({ id }) => [{ type: 'gone', thing: id }],
    waitingSinceMs: ({ sinceMs }) => sinceMs,
    goOn: () => [],
  }),
  ...changed,
});

export type PuppetTurn = Turn<Puppet>;

export const LAST_AT_MS = 100;

/** A home of `anna` with ten events, the newest at 100. All modules have opened it. */
export const homeWith = (
  modules: Modules,
  things: Readonly<Record<string, Readonly<Record<string, Puppet>>>>,
  items: Items = {},
): Home => ({
  ...newHome('anna'),
  seq: 10,
  lastAtMs: LAST_AT_MS,
  things,
  items,
  opened: modules.all.map(({ name }) => name),
});

export const told = (events: readonly HomeEvent[]) => events.map(({ type, thing: id, at }) => [type, id, at]);

type InTransaction = (tx: Sql, changes: readonly { readonly playerId: string }[]) => Promise<void>;

/** A module whose only command makes a thing, with `first` things from the start, and with rows of the game's own. */
export const hooked = (inTransaction: InTransaction, first: readonly string[] = []) =>
  defineModule({
    name: 'hooked',
    thing: z.object({}),
    initial: {},
    events: { sung: z.object({}) },
    commands: { sing: z.object({}) },
  }).rules({
    decide: { sing: ({ newId }) => [{ type: 'sung', thing: newId }] },
    evolve: { sung: () => ({}) },
    open: () => first.map((thing) => ({ type: 'sung', thing })),
    inTransaction,
  });
