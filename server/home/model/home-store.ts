import { createHash } from 'node:crypto';
import type { HomeEvent } from '../../../shared/event.ts';
import type { Home } from '../../../shared/home.ts';
import type { Seed } from '../../domain/chance.ts';
import type { IndexChanges } from '../../timer/model/index-entry.ts';
import type { Tx } from '../../timer/model/timer-store.ts';

/** The homes that a batch loads and locks. */
export interface HomeRequest {
  /** Distinct. */
  readonly playerIds: readonly string[];
  /** Commands that may be repetitions. */
  readonly commands: readonly CommandKey[];
  /** Whether to wait for homes that another transaction has locked; if not, they are left out. */
  readonly waits: boolean;
}

export interface CommandKey {
  readonly playerId: string;
  readonly commandId: string;
}

export interface LoadedHomes {
  /** The database's clock, whole milliseconds, read under the locks. */
  readonly nowMs: number;
  /** The locked homes. A player without a home has one with `seq` 0 and no items. */
  readonly homes: ReadonlyMap<string, Home>;
  readonly answered: readonly AnsweredCommand[];
  /** The number of the rules in force when the clock was read. Missing: the store has no rules. */
  readonly rules?: number;
  /** The inputs of the installation's draws. */
  readonly chance: Pick<Seed, 'bits' | 'epoch'>;
  /** How often each player's id was erased; missing: never. */
  readonly lives?: ReadonlyMap<string, number>;
  /** By player: things of retired modules, which no home shows. */
  readonly resting?: ReadonlyMap<string, readonly ThingName[]>;
}

export interface ThingName {
  readonly module: string;
  readonly thing: string;
}

/** A command that was accepted before, with the events of its reply. */
export interface AnsweredCommand extends CommandKey {
  readonly hash: string;
  readonly events: readonly HomeEvent[];
}

/** The change of one home. `after` is the fold of `events` over `before`. */
export interface HomeChange {
  readonly before: Home;
  readonly after: Home;
  readonly events: readonly HomeEvent[];
  /** By `seq` of each event that has a `commandId`. */
  readonly commands: ReadonlyMap<number, CommandRecord>;
}

/** The log's record of a command, from which its reply can be made again. */
export interface CommandRecord {
  /** The hash of the command's body: it distinguishes a repetition from a reuse of the id. */
  readonly hash: string;
  /** The last event of the reply. */
  readonly answerSeq: number;
}

/** Changes to save, and a value for the caller. */
export interface SaveDecision<Value> {
  readonly changes: readonly HomeChange[];
  readonly value: Value;
  /** True: saves nothing at all. Else also due times are saved that differ from those of the rules. */
  readonly isTrial?: boolean;
}

/** The inputs of a player's draws. */
export const seedOf = ({ chance, lives }: Pick<LoadedHomes, 'chance' | 'lives'>, playerId: string): Seed => ({
  ...chance,
  life: lives?.get(playerId) ?? 0,
});

/** Decides on the loaded homes. Pure; called once, under the locks. */
export type Decide<Value> = (loaded: LoadedHomes) => SaveDecision<Value>;

/** The outcome of a save: changes for the index, and the decision's value. */
export interface Saved<Value> {
  readonly index: IndexChanges;
  readonly value: Value;
}

/** The truth about homes. Every method throws a `StoreFault`. Lock order: homes by id. */
export interface HomeStore {
  /** One transaction: lock, load, decide, save, commit. */
  change<Value>(request: HomeRequest, decide: Decide<Value>): Promise<Saved<Value>>;
  /** The same inside the caller's transaction. Waits for locks; in a handler it throws `Locked` instead. */
  changeIn<Value>(tx: Tx, request: HomeRequest, decide: Decide<Value>): Promise<Saved<Value>>;
  /** For `work` that calls `changeIn`: if it throws, no rows of the game are left of it, also if the caller commits. */
  whole<Result>(tx: Tx, work: () => Promise<Result>): Promise<Result>;
  /** Events with `seq > afterSeq`, in order. */
  events(playerId: string, afterSeq: number, limit: number): Promise<readonly HomeEvent[]>;
  /** The newest `seq` by player; players without a home are left out. */
  newestSeqs(playerIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Names this life of the database, read once; for a player also the life of the id, if it was ever erased. */
  epoch(playerId?: string): Promise<string>;
  nowMs(): Promise<number>;
}

/** Equal for equal bodies, whatever the order of their fields. 132 bits of SHA-256. */
export const commandHash = (command: object): string =>
  createHash('sha256').update(JSON.stringify(command, sortedKeys)).digest('base64url').slice(0, 22);

/** A schema may turn a payload into a BigInt, `Map` or `Set`, which JSON lacks. */
const sortedKeys = (_key: string, value: unknown): unknown => {
  if (typeof value === 'bigint') return `${value}n`;
  if (value instanceof Map || value instanceof Set) return [...value];
  return value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;
};
