import type { HomeEvent } from '../event.ts';
import type { Items } from '../items.ts';
import type { OpsRole } from './act.ts';
import type { OpsRouteName } from './acts.ts';
import type { OpsExplanation, OpsTimerExplanation } from './ops-explanation.ts';
import type { OpsRules, OpsRulesChanged, OpsRulesOfModule, OpsRulesVersion } from './ops-rules.ts';
import type { OpsModule, OpsThing } from './ops-thing.ts';
import type { OpsAudit, OpsKind, OpsTimer } from './ops-timer.ts';

/** What the index lacked, had at another time, and had too much, against the rows. */
export interface OpsDifferences {
  readonly missing: number;
  readonly misplaced: number;
  readonly ghosts: number;
}

/** What the ops API returns. Instants are epoch milliseconds. */
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
  /** Things that are due by now and not completed. */
  readonly overdue: number;
}

export interface OpsPlayerTimers {
  /** The rows. */
  readonly timers: readonly OpsTimer[];
  /** What the index has of the player, by fire time; what was handed off it has no more. Undefined while it does not respond. */
  readonly index: readonly { readonly timerId: string; readonly fireAtMs: number }[] | undefined;
  readonly nowMs: number;
}

export interface OpsHit {
  /** A run is what a thing does at a time, where it has an id of its own. */
  readonly type: 'player' | 'thing' | 'run' | 'timer';
  readonly id: string;
  readonly playerId: string;
  /** Of a thing and a run. */
  readonly module: string | undefined;
  /** For people: a thing's title, a timer's kind. */
  readonly label: string;
}

export interface OpsTimerList {
  readonly timers: readonly OpsTimer[];
  /** Of all that match, not of this page alone. */
  readonly count: number;
  /** Where the next page begins: pass it as `after`. */
  readonly next: string | undefined;
  readonly nowMs: number;
}

/** An event, with who did it where an operator did. */
export interface OpsLogEntry {
  readonly event: HomeEvent;
  /** What the clock said when it was written; undefined: the event's own time, within a second. */
  readonly readAtMs: number | undefined;
  readonly actor: string | undefined;
  /** What the event is about, and which run of it, as `explain` takes both; undefined: none. */
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
}

export interface OpsOverview {
  readonly nowMs: number;
  readonly pending: number;
  readonly overdue: number;
  readonly oldestOverdueMs: number;
  readonly dead: number;
  readonly stuck: number;
  readonly players: number;
  readonly oldestUnackedMs: number | undefined;
  readonly degraded: readonly string[];
  /** All kinds that any process ever registered, by name. */
  readonly kinds: readonly OpsKind[];
  /** Of this process alone; ask each process for its own. */
  readonly process: {
    readonly name: string;
    readonly commandsPerSecond: number;
    /** What fired here, ten seconds each, oldest first. */
    readonly lateness: readonly {
      readonly fromMs: number;
      readonly fired: number;
      readonly p50Ms: number;
      readonly p99Ms: number;
    }[];
    /** Commands a second here in the last hour, or since the process began: one number for each `everyMs`. */
    readonly commands: { readonly fromMs: number; readonly everyMs: number; readonly perSecond: readonly number[] };
    /** Of each kind that had timers here: how many handlers run for, and how many wait for those. */
    readonly lanes: readonly { readonly kind: string; readonly running: number; readonly waiting: number }[];
    /** Found in the index here in the last hour, and healed. */
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
  /** Why, and how often. */
  readonly refusals: Readonly<Record<string, number>>;
}

export interface OpsIndex {
  readonly generation: number;
  readonly shards: number;
  /** Of a generation that is asked for and not begun. */
  readonly wantedShards: number | undefined;
  readonly isWhole: boolean;
  /** By shard: which node hands it off, and how many timers wait in it. Undefined while the index does not respond. */
  readonly inside:
    | {
        readonly owners: readonly (string | undefined)[];
        readonly counts: readonly number[];
        readonly oldestUnackedMs: number;
      }
    | undefined;
  /** What a comparison with the rows found and healed. */
  readonly found?: OpsDifferences;
}

/** Whether the database's clock is trusted. `byMs`: what it shows beyond the held time, on which `sinceMs` is. */
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
export interface OpsRevived {
  readonly count: number;
  readonly timers: readonly OpsTimer[];
}

export interface OpsAnswers extends Record<OpsRouteName, unknown> {
  me: { readonly name: string; readonly role: OpsRole; readonly hasDevTools: boolean };
  overview: OpsOverview;
  search: { readonly hits: readonly OpsHit[] };
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
    /** Things that went nowhere: the other home has something under their ids. */
    readonly left: readonly { readonly module: string; readonly thing: string }[];
    /** Of these the other home has more than their rules let a player get. */
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
