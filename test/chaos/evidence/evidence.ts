import type { HomeEvent, Reply } from '../../../shared/pets/protocol.ts';
import type { FieldEvent, FieldRules } from '../../support/field/field.ts';

/** An event of the pets, of the field beside them, or of the engine. */
export type ToldEvent = HomeEvent | FieldEvent;

/** What a run leaves behind for the checker. Instants are epoch milliseconds; the checker looks at nothing else. */
export interface Evidence {
  readonly rules: Rules;
  /** Oldest first; the first one is of the start. */
  readonly growths: readonly Growth[];
  readonly players: readonly PlayerEvidence[];
  /** Players that the database knows and the load does not. */
  readonly strangers: readonly string[];
  /** The database's time when the rows were read. */
  readonly readAtMs: number;
}

/** The rules of the run: those of the pets, and of the field. One cut, one rate and one repeat card; the repeat card gives one feeding. */
export interface Rules {
  readonly limits: {
    readonly petsPerPlayer: number;
    readonly autoFeedsPerPet: number;
    readonly undoMs: number;
    readonly boostMs: number;
  };
  readonly starter: { readonly items: Counts };
  readonly foods: Readonly<Record<string, { readonly workMs: number; readonly xp: number }>>;
  readonly cards: Readonly<Record<string, CardRule>>;
  readonly field: FieldRules;
}

export type CardRule =
  | { readonly effect: 'cut'; readonly workMs: number }
  | { readonly effect: 'rate'; readonly rate: number; readonly lastsMs: number }
  | { readonly effect: 'repeat'; readonly times: 1 };

/** How long beds grow by a version of the rules: from its commit on, which was between the two instants. */
export interface Growth {
  readonly growMs: number;
  readonly orderedAtMs: number;
  /** Infinite: the operator never learned of it. */
  readonly committedByMs: number;
}

/** By item. */
export type Counts = Readonly<Record<string, number>>;

export interface PlayerEvidence {
  readonly playerId: string;
  readonly log: readonly LoggedEvent[];
  readonly rows: Rows;
  readonly commands: readonly CommandRecord[];
  readonly connections: readonly ConnectionRecord[];
}

export interface LoggedEvent {
  readonly event: ToldEvent;
  /** With a `commandId`: the last event of the command's answer. */
  readonly answerSeq: number | undefined;
  /** Postgres' own timestamp of the commit. */
  readonly committedAtMs: number;
}

/** Numbers are numbers here, whatever their column's type; null is undefined. */
export interface Rows {
  readonly home: { readonly seq: number; readonly lastAtMs: number } | undefined;
  readonly pets: readonly PetRow[];
  readonly feedings: readonly FeedingRow[];
  readonly beds: readonly BedRow[];
  readonly items: Counts;
  readonly timers: readonly TimerRow[];
}

export interface PetRow {
  readonly petId: string;
  readonly name: string;
  readonly species: string;
  readonly xp: number;
  readonly boostRate: number | undefined;
  readonly boostEndsAtMs: number | undefined;
  readonly armed: readonly { readonly card: string; readonly left: number }[];
  readonly blockedAtMs: number | undefined;
  readonly lastFeedingId: string | undefined;
  readonly lastOutcome: string | undefined;
}

export interface FeedingRow {
  readonly feedingId: string;
  readonly petId: string;
  readonly state: string;
  readonly food: string;
  readonly fedBy: string;
  readonly workMs: number;
  readonly xp: number;
  readonly hasCards: boolean;
  readonly startedAtMs: number;
  readonly leftMs: number;
  readonly sinceAtMs: number;
  readonly endedAtMs: number | undefined;
}

export interface BedRow {
  readonly bed: string;
  readonly harvests: number;
  readonly growMs: number | undefined;
  readonly sownAtMs: number | undefined;
  readonly ripeAtMs: number | undefined;
}

export interface TimerRow {
  readonly kind: string;
  readonly subject: string;
  readonly dueAtMs: number;
}

/** One command of a player, with everything that was answered to it; it is sent again under the same id. */
export interface CommandRecord {
  readonly commandId: string;
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly attempts: readonly Attempt[];
}

export interface Attempt {
  readonly gateway: string;
  readonly sentAtMs: number;
  /** When the answer came, or the client gave up. */
  readonly endedAtMs: number;
  readonly outcome: AttemptOutcome;
}

export type AttemptOutcome =
  | { readonly kind: 'accepted'; readonly reply: Reply }
  | { readonly kind: 'rejected'; readonly code: string; readonly retryable: boolean }
  | { readonly kind: 'unknown'; readonly why: string };

/** It is not sent again. */
export const isFinal = (outcome: AttemptOutcome): boolean =>
  outcome.kind === 'accepted' || (outcome.kind === 'rejected' && !outcome.retryable);

/** One connection of a player's client: it asked for what came after `afterSeq`. */
export interface ConnectionRecord {
  readonly gateway: string;
  readonly afterSeq: number;
  readonly openedAtMs: number;
  readonly arrivals: readonly Arrival[];
  /** Codes of refusals that answered no command. */
  readonly refusals: readonly string[];
  /** The client left it, or it broke. */
  readonly isClosed: boolean;
  /** What the room showed when the rows were read. Undefined: no state has come. */
  readonly shown?: ShownState | undefined;
}

/** A room's state, which players see. */
export interface ShownState {
  readonly seq: number;
  readonly items: Counts;
  readonly pets: readonly {
    readonly id: string;
    readonly xp: number;
    readonly dueAt: number;
    readonly autoFeeds: number;
  }[];
}

/** A join that a gateway refused. */
export interface RefusedJoin {
  readonly gateway: string;
  readonly atMs: number;
  readonly why: string;
}

/** A frame with events, in the order of the frames. */
export interface Arrival {
  readonly atMs: number;
  readonly via: 'push' | 'reply' | 'sync';
  /** The answer to a command that had been sent before: its events may be known. */
  readonly isRepeated: boolean;
  readonly events: readonly ToldEvent[];
  /** `seq` of the state that the room showed then. */
  readonly stateSeq?: number;
}

/** An event that a due timer brings about, dated when it was due. */
export const isDue = ({ type }: Pick<ToldEvent, 'type'>): boolean =>
  type === 'feeding-completed' || type === 'field/ripened';

/** Something that must never be. */
export interface Violation {
  readonly playerId: string;
  readonly what: string;
}

export type Complain = (what: string) => void;
