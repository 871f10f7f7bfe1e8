import type { WordsByLanguage } from '../module/module.ts';

/** Work that a due time follows from, in milliseconds at rate 1, and what hurries it. */
export interface OpsWork {
  readonly leftMs: number;
  readonly sinceAtMs: number;
  readonly boost: { readonly rate: number; readonly endsAtMs: number } | undefined;
}

/** What a module keeps for a player, as the rows have it now. */
export interface OpsThing {
  readonly module: string;
  readonly id: string;
  /** Undefined: the module gives its things no names. */
  readonly title: string | undefined;
  /** Version of the module that it was read with. */
  readonly version: number;
  /** Subject of its timer: what it does at the time, or the thing itself. */
  readonly run: string;
  readonly dueAtMs: number | undefined;
  /** It is due, and nobody has looked yet: reads never settle. */
  readonly isOverdue: boolean;
  readonly waitingSinceMs: number | undefined;
  /** Undefined: its due time follows from something else. */
  readonly work: OpsWork | undefined;
  readonly state: Readonly<Record<string, unknown>>;
}

/** A module of this server, as operators need to know it. */
export interface OpsModule {
  readonly name: string;
  readonly version: number;
  /** Kind of its timers. */
  readonly kind: string;
  /** That its rules use. */
  readonly items: readonly string[];
  readonly canShift: boolean;
  readonly canStop: boolean;
  /** Its words, events by the type that they have in logs. */
  readonly words: WordsByLanguage;
}
