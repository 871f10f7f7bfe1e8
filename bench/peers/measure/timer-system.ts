/** A timer of the comparison. Ids are small whole numbers, ten an owner. */
export interface Item {
  readonly id: number;
  readonly dueAtMs: number;
}

/**
 * What a system says of a change: done; too late, nothing is waiting under this id; or nothing at all, so that the
 * caller cannot know.
 */
export type Outcome = 'applied' | 'too-late' | 'silent';

/** Where due timers go. */
export interface Fires {
  /** For a system that calls a handler: notes the fires, makes their effect durable, notes that it is. */
  handle(ids: readonly number[]): Promise<void>;
  /** For a system that commits the effect together with the timers: the two notes alone. */
  began(ids: readonly number[]): void;
  committed(ids: readonly number[]): void;
}

/** A contender, opened on empty stores. */
export interface TimerSystem {
  /** As it is run, for the reader who would tune it otherwise. */
  readonly settings: string;
  schedule(item: Item): Promise<void>;
  /** Only where there is such a call. */
  readonly bulk?: { readonly limit: number; schedule(items: readonly Item[]): Promise<void> };
  reschedule(id: number, dueAtMs: number): Promise<Outcome>;
  /** By a difference, in one step that no other change can come between. Only where there is such a call. */
  shift?(id: number, byMs: number): Promise<Outcome>;
  cancel(id: number): Promise<Outcome>;
  /** From here on due timers go to `fires`. */
  start(fires: Fires): Promise<void>;
}

/** The stores of one measurement, which nobody else uses. In the database there is a table `effect`. */
export interface Servers {
  readonly redisUrl: string;
  readonly postgresUrl: string;
}

/** Every file in `systems` and `products` exports one, as `open`. It may leave things open: its process ends. */
export type OpenSystem = (servers: Servers, variant: string | undefined) => Promise<TimerSystem>;

/** Connections to Postgres of every system that has a pool. */
export const POOL_SIZE = 16;

export const ownerOf = (id: number): number => Math.floor(id / 10);
