import { z } from 'zod';
import type { Items } from './items.ts';

/** Instants are epoch milliseconds, durations milliseconds; `items` are the items that the event gave (+) or took (-). */
const items = z.record(z.string(), z.int());
/** The operator's name and reason. */
const operator = { by: z.string(), reason: z.string() };

/** Events that the engine itself writes, with any modules. */
export const engineBodies = [
  /**
   * The first event of a log has the reason `starter`. `opened`: the modules that it opened. In an older log `modules`:
   * those besides the oldest one.
   */
  z.strictObject({
    type: z.literal('items-granted'),
    items,
    reason: z.string(),
    opened: z.array(z.string()).optional(),
    modules: z.array(z.string()).optional(),
  }),
  z.strictObject({ type: z.literal('player-frozen'), ...operator }),
  z.strictObject({ type: z.literal('player-unfrozen'), ...operator }),
  /**
   * The home was merged into another player's, and is closed. `left`: module and id of each thing that stays here; all else
   * moved. By module: the new names of its things; the field for the id here is that of the module's events.
   */
  z
    .object({ type: z.literal('home-merged'), into: z.string(), items, ...operator })
    .catchall(z.array(z.record(z.string(), z.string()))),
  /** The home of another player was merged into this one; its things arrive next. */
  z.strictObject({
    type: z.literal('home-received'),
    from: z.string(),
    items,
    /** By module: the other home's counters. The higher value of each counter counts. */
    counters: z.record(z.string(), z.record(z.string(), z.int())).optional(),
    ...operator,
  }),
  /** The module was added to the game after the player's home was made. */
  z.strictObject({ type: z.literal('module-opened'), module: z.string(), items: items.optional() }),
  /** A thing of a merged home, in its state there. */
  z.strictObject({
    type: z.literal('thing-arrived'),
    module: z.string(),
    thing: z.string(),
    version: z.int(),
    state: z.record(z.string(), z.unknown()),
  }),
] as const;

export type EngineBody = z.infer<(typeof engineBodies)[number]>;
export type EngineType = EngineBody['type'];

/** The place of an event in its player's log. `at` is the logical time; it never decreases along `seq`. */
export type EventPlace = {
  /** Version of the event's shape. */
  readonly v: number;
  /** 1, 2, 3 ... for each player, without gaps. */
  readonly seq: number;
  readonly at: number;
  /** Only on the first event of a command. */
  readonly commandId?: string;
};

/** Any event of a log: the engine's, or a module's with the fields of its contract. */
export interface HomeEvent extends EventPlace {
  readonly type: string;
  readonly items?: Items | undefined;
  readonly [field: string]: unknown;
}

export type EngineEvent = EngineBody & EventPlace;

const engineTypes = new Set<string>(engineBodies.map((body) => body.shape.type.value));

export const isEngineType = (type: string): boolean => engineTypes.has(type);

export const isEngineEvent = (event: HomeEvent): event is HomeEvent & EngineEvent => engineTypes.has(event.type);
