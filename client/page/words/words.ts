import type { RejectionCode } from '../../../shared/protocol.ts';

type Text<Facts> = (facts: Facts) => string;

/** Everything that the page says. A language that lacks one of these does not compile. */
export interface Words {
  readonly lang: string;
  /** Of this language, in itself. */
  readonly ownName: string;
  readonly title: string;
  readonly tagline: string;
  readonly language: string;
  readonly opening: string;
  readonly close: string;
  readonly cancel: string;
  readonly fast: string;
  readonly fastHint: Text<{ meal: string }>;

  readonly connection: {
    readonly lost: string;
    readonly lostHint: string;
    readonly retry: string;
    readonly refused: string;
    readonly refusedHint: string;
    readonly tryAgain: string;
    readonly beginAnew: string;
  };

  readonly adopt: {
    readonly welcome: string;
    readonly welcomeHint: string;
    readonly another: string;
    readonly title: string;
    readonly species: string;
    readonly name: string;
    readonly surprise: string;
    readonly submit: string;
    readonly names: readonly string[];
  };

  readonly pet: {
    readonly choose: Text<{ name: string }>;
    readonly chosen: string;
    readonly level: Text<{ level: number }>;
    readonly xp: Text<{ have: string; next: string }>;
    readonly xpMax: Text<{ have: string }>;
    readonly idle: string;
    readonly eating: Text<{ food: string }>;
    readonly finishing: string;
    readonly waiting: Text<{ food: string }>;
    readonly happy: string;
    readonly doneAt: Text<{ at: string }>;
    readonly left: Text<{ name: string; left: string }>;
    readonly boost: Text<{ rate: number; left: string }>;
    readonly armed: Text<{ count: number }>;
    readonly disarm: Text<{ name: string }>;
    readonly undo: Text<{ seconds: string }>;
    readonly stop: string;
    readonly feed: Text<{ food: string }>;
    readonly release: Text<{ name: string }>;
    /** The same, on a small button; part of the long one. */
    readonly goodbye: string;
    readonly pending: string;
    readonly pendingOffline: string;
    readonly actions: Text<{ name: string }>;
  };

  readonly tray: {
    readonly title: Text<{ name: string }>;
    readonly nobody: string;
    readonly foods: string;
    readonly cards: string;
    readonly has: Text<{ count: number }>;
    readonly xp: Text<{ xp: number }>;
    readonly cut: Text<{ by: string }>;
    readonly rate: Text<{ rate: number; lasts: string }>;
    readonly repeat: Text<{ times: number }>;
    readonly whyNot: {
      readonly none: string;
      readonly eating: Text<{ name: string }>;
      readonly notEating: Text<{ name: string }>;
      readonly pending: string;
    };
  };

  readonly card: {
    readonly title: Text<{ card: string; name: string }>;
    readonly before: string;
    readonly after: string;
    readonly sooner: Text<{ by: string }>;
    readonly boostUntil: Text<{ rate: number; at: string }>;
    readonly ends: string;
    readonly endsHint: string;
    readonly chain: Text<{ count: number; food: string }>;
    readonly chainEnd: string;
    readonly chainFood: Text<{ need: number; have: number; food: string }>;
    readonly wasted: Text<{ wasted: string }>;
    readonly count: string;
    readonly fewer: string;
    readonly more: string;
    readonly use: Text<{ count: number }>;
    readonly useAnyway: string;
    readonly over: string;
  };

  readonly stop: {
    readonly title: Text<{ name: string }>;
    readonly foodGone: Text<{ food: string }>;
    readonly back: Text<{ items: string }>;
    readonly submit: string;
    readonly keep: string;
  };

  readonly release: {
    readonly title: Text<{ name: string }>;
    readonly hint: string;
    readonly submit: string;
    readonly keep: string;
  };

  readonly away: {
    readonly title: string;
    readonly hint: Text<{ since: string }>;
    readonly meals: Text<{ name: string; meals: number; xp: number }>;
    readonly autoFed: Text<{ times: number }>;
    readonly level: Text<{ name: string; level: number }>;
    readonly waiting: Text<{ name: string; food: string }>;
    readonly gone: Text<{ name: string }>;
    readonly gifts: Text<{ items: string }>;
    readonly losses: Text<{ items: string }>;
    readonly somebody: string;
    readonly submit: string;
  };

  /** Toasts, and what is read aloud. */
  readonly news: {
    readonly adopted: Text<{ name: string }>;
    readonly starter: Text<{ items: string }>;
    readonly started: Text<{ name: string; food: string; at: string }>;
    readonly autoStarted: Text<{ name: string; food: string; at: string }>;
    readonly cut: Text<{ name: string; at: string }>;
    readonly cutDone: Text<{ name: string }>;
    readonly boosted: Text<{ name: string; at: string }>;
    readonly armed: Text<{ name: string; count: number }>;
    readonly completed: Text<{ name: string; xp: number }>;
    readonly level: Text<{ name: string; level: number }>;
    readonly stopped: Text<{ name: string }>;
    readonly back: Text<{ items: string }>;
    readonly blocked: Text<{ name: string; food: string }>;
    readonly disarmed: Text<{ items: string }>;
    readonly granted: Text<{ items: string }>;
    readonly taken: Text<{ items: string }>;
    readonly released: Text<{ name: string }>;
    readonly shifted: Text<{ name: string; at: string }>;
    readonly frozen: Text<Record<never, never>>;
    readonly unfrozen: Text<Record<never, never>>;
    readonly merged: Text<Record<never, never>>;
    readonly received: Text<Record<never, never>>;
    readonly oneMinute: Text<{ name: string }>;
    readonly newLog: string;
    readonly newHome: string;
    readonly unanswered: string;
  };

  /** Why not, by the protocol's code. */
  readonly refusals: Readonly<Record<RejectionCode, Text<Readonly<Record<string, unknown>>>>>;
  /** Names of what the default rules know; other names are shown as they are. */
  readonly species: Readonly<Record<string, string>>;
  readonly items: Readonly<Record<string, string>>;
}
