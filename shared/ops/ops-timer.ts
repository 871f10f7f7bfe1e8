export interface OpsTimer {
  readonly timerId: string;
  readonly kind: string;
  readonly subject: string;
  readonly owner: string;
  readonly state: 'scheduled' | 'completed' | 'cancelled' | 'dead';
  readonly dueAtMs: number;
  readonly fireAtMs: number;
  /** Paused until an operator or the game resumes it. */
  readonly isPaused: boolean;
  readonly revision: number;
  readonly attempt: number;
  /** How often it has come due, from 1, skipped turns included. */
  readonly turn: number;
  /** Calls of this attempt that have no outcome yet. */
  readonly claims: number;
  /** Its recurrence. */
  readonly recurrence: OpsRecurrence | undefined;
  /** Its own late policy, if it differs from the kind's. */
  readonly misfire: Readonly<Record<string, unknown>> | undefined;
  /** The judgement of a late turn. */
  readonly lateness: { readonly lateMs: number; readonly missed: number; readonly isMisfire: boolean } | undefined;
  /** When the running call began, or the one that died with its process. */
  readonly claimedAtMs: number | undefined;
  readonly payload: unknown;
  readonly lastError: string | undefined;
  readonly result: unknown;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** It follows from a home: act on the player instead. */
  readonly isDerived: boolean;
  readonly isOverdue: boolean;
  /** A process is calling for it: at `fireAtMs` another one would. */
  readonly isInCall: boolean;
}

/** The recurrence and its end: `untilMs` is an instant, `times` the number of turns. */
export type OpsRecurrence =
  | {
      readonly every: {
        /** Undefined: it counts days of a time zone. */
        readonly ms?: number | undefined;
        readonly days?: number | undefined;
        readonly timeZone?: string | undefined;
        readonly untilMs?: number | undefined;
        readonly times?: number | undefined;
      };
    }
  | {
      readonly cron: {
        readonly expression: string;
        readonly timeZone: string;
        readonly untilMs?: number | undefined;
        readonly times?: number | undefined;
      };
    };
export interface OpsKind {
  readonly kind: string;
  /** The kind is paused: no process fires its timers. */
  readonly isPaused: boolean;
}

export interface OpsAudit {
  readonly id: string;
  readonly commandId: string;
  readonly target: string;
  readonly actor: string;
  readonly action: string;
  readonly reason: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly atMs: number;
}

export interface OpsRevived {
  readonly count: number;
  readonly timers: readonly OpsTimer[];
}
