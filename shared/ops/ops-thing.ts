import type { WordsByLanguage } from '../module/module.ts';

/** The work behind a due time, in milliseconds at rate 1, and its boost. */
export interface OpsWork {
  readonly leftMs: number;
  readonly sinceAtMs: number;
  readonly boost: { readonly rate: number; readonly endsAtMs: number } | undefined;
}

/** A module's thing of a player, from the present rows. */
export interface OpsThing {
  readonly module: string;
  readonly id: string;
  /** Undefined: the module has no names for its things. */
  readonly title: string | undefined;
  /** The module's version that read it. */
  readonly version: number;
  /** Its present run, or the thing itself. */
  readonly run: string;
  readonly dueAtMs: number | undefined;
  /** It is due but not settled yet: reads never settle. */
  readonly isOverdue: boolean;
  readonly waitingSinceMs: number | undefined;
  /** Undefined: its due time does not follow from work. */
  readonly work: OpsWork | undefined;
  readonly state: Readonly<Record<string, unknown>>;
}

/** A module of this server, for operators. */
export interface OpsModule {
  readonly name: string;
  readonly version: number;
  /** The kind of its timers. */
  readonly kind: string;
  /** Items that its rules use. */
  readonly items: readonly string[];
  readonly canShift: boolean;
  readonly canStop: boolean;
  /** Its words, with events by their type in logs. */
  readonly words: WordsByLanguage;
}
