import type { Command, QuoteReply, Rejection, Reply, SyncReply } from '../../../shared/protocol.ts';
import type { Result } from '../../../shared/result.ts';
import type { OperatorCommand } from '../../domain/scene.ts';
import type { Follower, HomeView } from './commit.ts';
import type { OnRules } from './rules-in-force.ts';

/** A player's command on its way to the rules. */
export interface HomeOrder {
  readonly playerId: string;
  readonly commandId: string;
  readonly command: Command | OperatorCommand;
}

export type Outcome = Result<Reply, Rejection>;

/** A reader's place in a player's log. */
export interface LogCursor {
  readonly afterSeq: number;
  /** The epoch that `afterSeq` belongs to. */
  readonly epoch?: string | undefined;
  readonly limit?: number | undefined;
  /** The bound for the events' JSON; at least one event is returned anyway. */
  readonly maxBytes?: number | undefined;
}

/**
 * The homes of all players. Refusals of the rules are returned; `server/unavailable` means that nothing was done.
 * Throws `OutcomeUnknown` if the outcome of a commit was lost: send the same `commandId` again to learn it.
 */
export interface Homes {
  /** Outcomes in the order of the orders; orders of one player take effect in that order. */
  handle(orders: readonly HomeOrder[]): Promise<readonly Outcome[]>;
  /** Returns what the command would do now. Saves nothing. */
  quote(playerId: string, command: Command): Promise<Result<QuoteReply, Rejection>>;
  /** Settles, then returns the homes in the order of the ids. */
  look(playerIds: readonly string[]): Promise<readonly HomeView[]>;
  /**
   * Events after the cursor; `sync/ahead` if the cursor has another epoch or lies beyond the log. For a cursor before
   * the log's retention only the events that remain: then the first event's `seq` is greater than `afterSeq + 1`.
   */
  sync(playerId: string, cursor: LogCursor): Promise<Result<SyncReply, Rejection>>;
  /**
   * Calls with each commit of a player from now on, synchronously and before `handle` returns. Commits come in `seq`
   * order, but some of other processes may be missing. Returns the unsubscriber.
   */
  follow(playerId: string, follower: Follower): () => void;
  /** Calls with the modules that have new rules, from now on. Returns the unsubscriber. */
  onRules?(listener: OnRules): () => void;
  /** The database's clock, epoch milliseconds. */
  now(): Promise<number>;
}

/** The homes for a game's own rooms. Operators' acts are not included, because they are audited. */
export interface PlayerHomes extends Omit<Homes, 'handle'> {
  /** As `Homes.handle`. */
  handle(orders: readonly PlayerOrder[]): Promise<readonly Outcome[]>;
}

export interface PlayerOrder extends HomeOrder {
  readonly command: Command;
}
