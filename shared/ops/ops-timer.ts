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
  /** Calls begun in this attempt without an outcome yet. */
  readonly claims: number;
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
