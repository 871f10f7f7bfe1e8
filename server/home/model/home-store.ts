import { createHash } from 'node:crypto';
import type { HomeEvent } from '../../../shared/event.ts';
import type { Home } from '../../../shared/home.ts';
import type { Seed } from '../../domain/chance.ts';
import type { IndexChanges } from '../../timer/model/index-entry.ts';
import type { Tx } from '../../timer/model/timer-store.ts';

/** What a batch wants to know and to lock. */
export interface HomeRequest {
  /** Distinct. */
  readonly playerIds: readonly string[];
  /** Commands that may have been done before. */
  readonly commands: readonly CommandKey[];
  /** Whether to wait for homes that another transaction has locked; else they are left out. */
  readonly waits: boolean;
}

export interface CommandKey {
  readonly playerId: string;
  readonly commandId: string;
}

export interface LoadedHomes {
  /** The database's clock, whole milliseconds, read after the locks were held. */
  readonly nowMs: number;
  /** The homes that were obtained. A player without a home has one with `seq` 0 and no items. */
  readonly homes: ReadonlyMap<string, Home>;
  readonly answered: readonly AnsweredCommand[];
  /** The number of the rules in force when the clock was read. Missing: of a store without rules. */
  readonly rules?: number;
  /** What the installation's draws are made of. */
  readonly chance: Pick<Seed, 'bits' | 'epoch'>;
  /** How often each player's id was erased before; none: never. */
  readonly lives?: ReadonlyMap<string, number>;
}

/** A command that was accepted before, with the events of its reply. */
export interface AnsweredCommand extends CommandKey {
  readonly hash: string;
  readonly events: readonly HomeEvent[];
}

/** What happened to one home. `after` is the fold of `events` over `before`. */
export interface HomeChange {
  readonly before: Home;
  readonly after: Home;
  readonly events: readonly HomeEvent[];
  /** For each event that has a `commandId`: by its `seq`. */
  readonly commands: ReadonlyMap<number, CommandRecord>;
}

/** What the log keeps of a command, so that its reply can be made again. */
export interface CommandRecord {
  /** Of the command's body: tells a repetition from a reuse of the id. */
  readonly hash: string;
  /** The last event of the reply. */
  readonly answerSeq: number;
}

/** What is to be saved, and a value for the caller. */
export interface SaveDecision<Value> {
  readonly changes: readonly HomeChange[];
  readonly value: Value;
}

/** What a player's draws are made of. */
export const seedOf = ({ chance, lives }: Pick<LoadedHomes, 'chance' | 'lives'>, playerId: string): Seed => ({
  ...chance,
  life: lives?.get(playerId) ?? 0,
});

/** Decides on what was loaded. Pure; called once, while the locks are held. */
export type Decide<Value> = (loaded: LoadedHomes) => SaveDecision<Value>;

/** What was saved: for the index, and the value of the decision. */
export interface Saved<Value> {
  readonly index: IndexChanges;
  readonly value: Value;
}

/**
 * The homes' truth. Every method throws a `StoreFault`.
 * Lock order: homes by id.
 */
export interface HomeStore {
  /** One transaction: lock, load, decide, save, commit. */
  change<Value>(request: HomeRequest, decide: Decide<Value>): Promise<Saved<Value>>;
  /** The same inside a transaction of the caller's. Waits for locks; in a handler it throws `Locked` instead. */
  changeIn<Value>(tx: Tx, request: HomeRequest, decide: Decide<Value>): Promise<Saved<Value>>;
  /** Events with `seq > afterSeq`, in order. */
  events(playerId: string, afterSeq: number, limit: number): Promise<readonly HomeEvent[]>;
  /** The newest `seq` by player; players without a home are left out. */
  newestSeqs(playerIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Names this life of the database, read once; of a player, also which life of the id, if it was ever erased. */
  epoch(playerId?: string): Promise<string>;
  nowMs(): Promise<number>;
}

/** Equal for equal bodies, whatever the order of their fields. 132 bits of SHA-256. */
export const commandHash = (command: object): string =>
  createHash('sha256').update(JSON.stringify(command, sortedKeys)).digest('base64url').slice(0, 22);

/** A schema may make a BigInt of a text. */
const sortedKeys = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint'
    ? `${value}n`
    : value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value;
