import type { HomeEvent } from '../event.ts';
import type { Items } from '../items.ts';
import type { OpsRole } from './act.ts';
import type { OpsRouteName } from './acts.ts';
import type { OpsExplanation, OpsTimerExplanation } from './ops-explanation.ts';
import type { OpsRules, OpsRulesChanged, OpsRulesOfModule, OpsRulesVersion } from './ops-rules.ts';
import type { OpsModule, OpsThing } from './ops-thing.ts';
import type { OpsAudit, OpsKind, OpsRevived, OpsTimer } from './ops-timer.ts';

/** The index's missing, misplaced and surplus entries, compared with the rows. */
export interface OpsDifferences {
  readonly missing: number;
  readonly misplaced: number;
  readonly ghosts: number;
}

/** The results of the ops API. Instants are epoch milliseconds. */
export interface OpsPlayer {
  readonly playerId: string;
  readonly seq: number;
  readonly epoch: string;
  readonly lastAtMs: number;
  readonly nowMs: number;
  readonly frozenAtMs: number | undefined;
  readonly items: Items;
  /** Of all modules, each module's in the order of their ids. */
  readonly things: readonly OpsThing[];
  /** Due things that were not completed yet. */
  readonly overdue: number;
}

export interface OpsPlayerTimers {
  /** The rows. */
  readonly timers: readonly OpsTimer[];
  /** The index's entries of the player, by fire time, without handed-off ones. Undefined while the index does not respond. */
  readonly index: readonly { readonly timerId: string; readonly fireAtMs: number }[] | undefined;
  readonly nowMs: number;
}

export interface OpsHit {
  /** A run is a thing's present work, if it has its own id. */
  readonly type: 'player' | 'thing' | 'run' | 'timer';
  readonly id: string;
  readonly playerId: string;
  /** Only for a thing or a run. */
  readonly module: string | undefined;
  /** For people: a thing's title, a timer's kind. */
  readonly label: string;
}

export interface OpsTimerList {
  readonly timers: readonly OpsTimer[];
  /** The count of all matches, not only of this page. At `countedTo`: so many or more. */
  readonly count: number;
  readonly countedTo: number;
  /** The cursor of the next page: pass it as `after`. */
  readonly next: string | undefined;
  readonly nowMs: number;
}

/** An event, with the operator if an operator did it. */
export interface OpsLogEntry {
  readonly event: HomeEvent;
  /** The clock reading at the write; undefined: the event's own time, within a second. */
  readonly readAtMs: number | undefined;
  readonly actor: string | undefined;
  /** The event's thing and run, as `explain` takes both; undefined: none. */
  readonly module: string | undefined;
  readonly thing: string | undefined;
  readonly run: string | undefined;
}

export interface OpsFailedGroup {
  readonly state: 'dead' | 'stuck';
  readonly kind: string;
  readonly error: string;
  readonly count: number;
  readonly newestAtMs: number;
}

export interface OpsUpcoming {
  readonly window: '1h' | '24h' | '7d';
  readonly nowMs: number;
  /** A list of timers with `state=scheduled` and these `fromMs` and `toMs` has `count` entries. */
  readonly buckets: readonly { readonly fromMs: number; readonly toMs: number; readonly count: number }[];
  readonly overdue: number;
  readonly later: number;
  readonly countedTo: number;
}

export interface OpsOverview {
  readonly nowMs: number;
  /** `pending`, `overdue` and `players` go up to it: so many or more. */
  readonly countedTo: number;
  readonly pending: number;
  readonly overdue: number;
  readonly oldestOverdueMs: number;
  readonly dead: number;
  readonly stuck: number;
  readonly players: number;
  readonly oldestUnackedMs: number | undefined;
  readonly degraded: readonly string[];
  /** All kinds that any process has ever registered, by name. */
  readonly kinds: readonly OpsKind[];
  /** Only of this process; each process has its own. */
  readonly process: {
    readonly name: string;
    readonly commandsPerSecond: number;
    /** Timers that fired here, in steps of ten seconds, oldest first. */
    readonly lateness: readonly {
      readonly fromMs: number;
      readonly fired: number;
      readonly p50Ms: number;
      readonly p99Ms: number;
    }[];
    /** Commands a second here in the last hour, or since the start: one number for each `everyMs`. */
    readonly commands: { readonly fromMs: number; readonly everyMs: number; readonly perSecond: readonly number[] };
    /** By kind with timers here: the numbers of running and waiting timers. */
    readonly lanes: readonly { readonly kind: string; readonly running: number; readonly waiting: number }[];
    /** Differences that this process found in the index in the last hour, and healed. */
    readonly differences: OpsDifferences;
  };
}

export interface OpsJob {
  readonly jobId: string;
  readonly actor: string;
  readonly reason: string;
  readonly items: Items;
  readonly state: 'running' | 'stopped' | 'done';
  readonly perSecond: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly total: number;
  readonly done: number;
  readonly refused: number;
  /** By code: how often it was refused. */
  readonly refusals: Readonly<Record<string, number>>;
}

export interface OpsIndex {
  readonly generation: number;
  readonly shards: number;
  /** The number of a generation that was asked for and has not begun. */
  readonly wantedShards: number | undefined;
  readonly isWhole: boolean;
  /** By shard: the node that hands it off, and the number of its waiting timers. Undefined while the index does not respond. */
  readonly inside:
    | {
        readonly owners: readonly (string | undefined)[];
        readonly counts: readonly number[];
        readonly oldestUnackedMs: number;
      }
    | undefined;
  /** The differences that a comparison found and healed. */
  readonly found?: OpsDifferences;
}

/** Whether the database's clock is trusted. `byMs`: how far it is ahead of held time; `sinceMs` is on held time. */
export type OpsClock =
  | { readonly isHeld: false }
  | {
      readonly isHeld: true;
      readonly sinceMs: number;
      readonly byMs: number;
      readonly direction: 'ahead' | 'back';
    };

/** A write that was done, or would be done (`isDryRun`). */
export interface OpsDone<Answer = unknown> {
  readonly commandId: string;
  readonly isDryRun: boolean;
  readonly answer: Answer;
}

export interface OpsReplied {
  readonly seq: number;
  readonly events: readonly HomeEvent[];
  readonly dueAt?: number;
}

export interface OpsAnswers extends Record<OpsRouteName, unknown> {
  me: { readonly name: string; readonly role: OpsRole; readonly hasDevTools: boolean };
  overview: OpsOverview;
  search: { readonly hits: readonly OpsHit[]; readonly isCut: boolean };
  player: OpsPlayer;
  log: { readonly entries: readonly OpsLogEntry[]; readonly nextBeforeSeq: number | undefined };
  playerTimers: OpsPlayerTimers;
  exportPlayer: Readonly<Record<string, unknown>>;
  explainThing: OpsExplanation;
  modules: { readonly modules: readonly OpsModule[] };
  timers: OpsTimerList;
  upcoming: OpsUpcoming;
  timer: OpsTimer;
  explainTimer: OpsTimerExplanation;
  failed: { readonly groups: readonly OpsFailedGroup[] };
  audit: { readonly entries: readonly OpsAudit[]; readonly nextBefore: string | undefined };
  jobs: { readonly jobs: readonly OpsJob[] };
  job: OpsJob;
  rules: { readonly modules: readonly OpsRulesOfModule[] };
  rulesOf: OpsRules;
  rulesHistory: { readonly versions: readonly OpsRulesVersion[]; readonly nextBefore: number | undefined };
  index: OpsIndex;
  clock: OpsClock;
  grant: OpsDone<OpsReplied>;
  take: OpsDone<OpsReplied>;
  shift: OpsDone<OpsReplied>;
  stop: OpsDone<OpsReplied>;
  freeze: OpsDone<OpsReplied>;
  unfreeze: OpsDone<OpsReplied>;
  revokeTokens: OpsDone<{ readonly revokedAtMs: number }>;
  revokeToken: OpsDone<{ readonly revokedAtMs: number }>;
  advance: OpsDone<OpsReplied>;
  shiftTimer: OpsDone<OpsTimer>;
  fireTimer: OpsDone<OpsTimer>;
  pauseTimer: OpsDone<OpsTimer>;
  resumeTimer: OpsDone<OpsTimer>;
  completeTimer: OpsDone<OpsTimer>;
  cancelTimer: OpsDone<OpsTimer>;
  reviveTimer: OpsDone<OpsTimer>;
  reviveDead: OpsDone<OpsRevived>;
  pauseKind: OpsDone<OpsKind>;
  resumeKind: OpsDone<OpsKind>;
  erase: OpsDone<{ readonly removed: Readonly<Record<string, number>>; readonly related: readonly string[] }>;
  merge: OpsDone<{
    readonly guest: OpsReplied;
    readonly account: OpsReplied;
    readonly moved: readonly { readonly module: string; readonly thing: string; readonly becomes: string }[];
    /** Things that stayed: the other home uses their ids. */
    readonly left: readonly { readonly module: string; readonly thing: string }[];
    /** Modules of which the other home now has more things than the rules give a player. */
    readonly aboveLimit: readonly { readonly module: string; readonly have: number; readonly limit: number }[];
  }>;
  createJob: OpsDone<{ readonly count: number; readonly sample: readonly string[]; readonly job: OpsJob | undefined }>;
  stopJob: OpsDone<OpsJob>;
  resumeJob: OpsDone<OpsJob>;
  replaceRules: OpsDone<OpsRulesChanged>;
  rollBackRules: OpsDone<OpsRulesChanged>;
  rebuild: OpsDone<OpsIndex>;
  reconcile: OpsDone<OpsIndex>;
  acceptClock: OpsDone<{ readonly before: OpsClock; readonly after: OpsClock }>;
  reshard: OpsDone<OpsIndex>;
}

/** The body of every refusal. Codes are for programs, messages for people. */
export interface OpsError {
  readonly code: string;
  readonly message: string;
  readonly params: Readonly<Record<string, unknown>>;
}
