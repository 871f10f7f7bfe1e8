import type { OpsAudit } from '../../../shared/ops/ops-timer.ts';
import type { Tx } from '../../timer/model/timer-store.ts';

/** One thing that an operator did to one target. */
export interface AuditEntry {
  readonly commandId: string;
  /** `player:<id>`, `timer:<id>`, `job:<id>`, `index`, `timers:<kind>`. */
  readonly target: string;
  readonly actor: string;
  readonly action: string;
  readonly reason: string;
  /** The target before and after, as far as it was touched. */
  readonly before: unknown;
  readonly after: unknown;
  /** Of the command's body. */
  readonly hash: string;
  readonly answer: unknown;
}

export interface EarlierCommand {
  readonly hash: string;
  readonly answer: unknown;
}

/** The record of what operators did; written in the transaction of the change itself. Errors come as the driver throws them. */
export interface AuditStore {
  /** Commits when `work` returns; rolls back and rethrows when it throws. */
  transaction<Answer>(work: (tx: Tx) => Promise<Answer>): Promise<Answer>;
  /** What this command did to this target before. Until the transaction ends nobody else can do it. */
  earlier(tx: Tx, commandId: string, target: string): Promise<EarlierCommand | undefined>;
  /** Entries that are there already stay as they are. */
  add(tx: Tx, entries: readonly AuditEntry[]): Promise<void>;
  /** Newest first; `before` is the id of the last one seen. */
  page(target: string | undefined, before: string | undefined, limit: number): Promise<readonly OpsAudit[]>;
  /** Whether the player's home was merged into another one, and nobody opened it again. */
  isMergedAway(tx: Tx, playerId: string): Promise<boolean>;
  isWorldFault(error: unknown): boolean;
}

export const playerTarget = (playerId: string): string => `player:${playerId}`;
export const timerTarget = (timerId: string): string => `timer:${timerId}`;
export const jobTarget = (jobId: string): string => `job:${jobId}`;
