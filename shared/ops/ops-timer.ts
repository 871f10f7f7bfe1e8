export interface OpsTimer {
  readonly timerId: string;
  readonly kind: string;
  readonly subject: string;
  readonly owner: string;
  readonly state: 'scheduled' | 'completed' | 'cancelled' | 'dead';
  readonly dueAtMs: number;
  readonly fireAtMs: number;
  /** Held back until somebody resumes it. */
  readonly isPaused: boolean;
  readonly revision: number;
  readonly attempt: number;
  /** How often it has come due, from 1; turns that were skipped are counted. */
  readonly turn: number;
  /** Calls begun in this attempt without an outcome yet. */
  readonly claims: number;
  /** How it comes again by itself. */
  readonly recurrence: OpsRecurrence | undefined;
  /** What becomes of it when it is late, where that is not as its kind says. */
  readonly misfire: Readonly<Record<string, unknown>> | undefined;
  /** Of a turn that was taken late, what it was judged to be. */
  readonly lateness: { readonly lateMs: number; readonly missed: number; readonly isMisfire: boolean } | undefined;
  /** When the call was begun that runs now, or whose process died in it. */
  readonly claimedAtMs: number | undefined;
  readonly payload: unknown;
  readonly lastError: string | undefined;
  readonly result: unknown;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** It follows from a home: act on the player instead. */
  readonly isDerived: boolean;
  readonly isOverdue: boolean;
  /** A process is calling for it: `fireAtMs` is when another one would. */
  readonly isInCall: boolean;
}

/** When it ends: `untilMs` is an instant, `times` turns in all. */
export type OpsRecurrence =
  | {
      readonly every: {
        /** Undefined: so many days of a time zone. */
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
  /** No process fires its timers. */
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
