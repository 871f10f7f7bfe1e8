/** A timer of the comparison. Ids are small whole numbers, ten per owner. */
export interface Item {
  readonly id: number;
  readonly dueAtMs: number;
}

/** A system's reply to a change: done; too late, no timer waits under this id; or no reply, so that the caller cannot know. */
export type Outcome = 'applied' | 'too-late' | 'silent';

/** Receives due timers. */
export interface Fires {
  /** For a system that calls a handler: notes the fires, makes their effect durable, and notes that. */
  handle(ids: readonly number[]): Promise<void>;
  /** For a system that commits the effect together with the timers: only the two notes. */
  began(ids: readonly number[]): void;
  committed(ids: readonly number[]): void;
}

/** A contender, opened on empty stores. */
export interface TimerSystem {
  /** Its settings, so that readers can judge them. */
  readonly settings: string;
  schedule(item: Item): Promise<void>;
  /** Only if there is such a call. */
  readonly bulk?: { readonly limit: number; schedule(items: readonly Item[]): Promise<void> };
  reschedule(id: number, dueAtMs: number): Promise<Outcome>;
  /** Moves by a difference, atomically. Only if there is such a call. */
  shift?(id: number, byMs: number): Promise<Outcome>;
  cancel(id: number): Promise<Outcome>;
  /** From now on due timers go to `fires`. */
  start(fires: Fires): Promise<void>;
}

/** The stores of one measurement, used by it alone. The database has a table `effect`. */
export interface Servers {
  readonly redisUrl: string;
  readonly postgresUrl: string;
}

/** Every file in `systems` and `products` exports one as `open`. It need not close anything: its process ends. */
export type OpenSystem = (servers: Servers, variant: string | undefined) => Promise<TimerSystem>;

/** Postgres connections of every system with a pool. */
export const POOL_SIZE = 16;

export const ownerOf = (id: number): number => Math.floor(id / 10);
