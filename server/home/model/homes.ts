import type { Command, QuoteReply, Rejection, Reply, SyncReply } from '../../../shared/protocol.ts';
import type { Result } from '../../../shared/result.ts';
import type { OperatorCommand } from '../../domain/scene.ts';
import type { Follower, HomeView } from './commit.ts';
import type { OnRules } from './rules-in-force.ts';

/** A command of a player, on its way to the rules. */
export interface HomeOrder {
  readonly playerId: string;
  readonly commandId: string;
  readonly command: Command | OperatorCommand;
}

export type Outcome = Result<Reply, Rejection>;

/** Where a reader stands in a player's log. */
export interface LogCursor {
  readonly afterSeq: number;
  /** The epoch that `afterSeq` belongs to. */
  readonly epoch?: string | undefined;
  readonly limit?: number | undefined;
  /** Bound of the events' JSON; at least one event is returned all the same. */
  readonly maxBytes?: number | undefined;
}

/**
 * The homes of all players. Refusals of the rules are returned; `server/unavailable` says that nothing was done.
 * Throws `OutcomeUnknown` when the outcome of a commit was lost: the same `commandId` sent again finds out.
 */
export interface Homes {
  /** Outcomes in the order of the orders; a player's own orders take effect in that order. */
  handle(orders: readonly HomeOrder[]): Promise<readonly Outcome[]>;
  /** What the command would do now. Nothing is saved. */
  quote(playerId: string, command: Command): Promise<Result<QuoteReply, Rejection>>;
  /** Settles, then returns the homes in the order asked. */
  look(playerIds: readonly string[]): Promise<readonly HomeView[]>;
  /**
   * Events after the cursor; `sync/ahead` for a cursor of another epoch or beyond the log. Of a cursor before the log's
   * retention only what is still there: then the first event's `seq` is greater than `afterSeq + 1`.
   */
  sync(playerId: string, cursor: LogCursor): Promise<Result<SyncReply, Rejection>>;
  /**
   * Calls with each commit of a player from now on, synchronously and before `handle` returns. Commits come in `seq`
   * order but may lack some that another process made. The function that it returns ends it.
   */
  follow(playerId: string, follower: Follower): () => void;
  /** Calls with the modules whose rules are new, from now on. The function that it returns ends it. */
  onRules?(listener: OnRules): () => void;
  /** The database's clock, epoch milliseconds. */
  now(): Promise<number>;
}

/** What a room of the game's own asks for its players. Operators' acts are not among it: those are audited. */
export interface PlayerHomes extends Omit<Homes, 'handle'> {
  /** As `Homes.handle`. */
  handle(orders: readonly PlayerOrder[]): Promise<readonly Outcome[]>;
}

export interface PlayerOrder extends HomeOrder {
  readonly command: Command;
}
