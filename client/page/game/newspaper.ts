import { signal } from '@preact/signals';
import type { Cursor } from '../../follow/follow-home.ts';
import { systemPlatform } from '../../follow/platform.ts';
import { type AwaySummary, summarize } from './away.ts';
import type { GameEvent } from './modules.ts';

export interface NewspaperOptions {
  readonly levels: () => readonly number[];
  /** Shows one event at once. */
  readonly onTell: (event: GameEvent) => void;
  /** The player has seen everything up to here. */
  readonly onSeen: () => void;
  /** The server's time. */
  readonly nowMs: () => number | undefined;
  readonly isHidden: () => boolean;
}

/** After a shorter absence the player gets toasts, as if present. */
const AWAY_MS = 60_000;
/** Missed events come in several messages. */
const GATHER_MS = 250;
const TOLD_AT_ONCE = 3;

/** Decides which events are shown at once, and which wait for «while you were away» until the player looks. */
export const createNewspaper = (options: NewspaperOptions) => {
  const away = signal<AwaySummary | undefined>(undefined);
  let pile: GameEvent[] = [];
  /** The server's time when the player last looked; 0: before this visit. */
  let lookedAtMs = 0;
  let cancel = (): void => {};

  const open = (): void => {
    if (options.isHidden()) return;
    const events = pile;
    pile = [];
    const awayMs = Math.max(options.nowMs() ?? 0, events.at(-1)?.at ?? 0) - lookedAtMs;
    const summary = awayMs >= AWAY_MS ? summarize(events, options.levels()) : undefined;
    if (summary) away.value = summary;
    else for (const event of events.slice(-TOLD_AT_ONCE)) options.onTell(event);
    if (!summary) options.onSeen();
  };

  return {
    away,
    hear: (events: readonly GameEvent[], isMissed: boolean): void => {
      if (isMissed || options.isHidden() || pile.length > 0) {
        pile.push(...events);
        cancel();
        cancel = systemPlatform.after(GATHER_MS, open);
        return;
      }
      for (const event of events) options.onTell(event);
      options.onSeen();
    },
    /** From now on the page is not seen: it is hidden, or cut off. */
    lookAway: (): void => {
      lookedAtMs = options.nowMs() ?? lookedAtMs;
    },
    lookAgain: (): void => {
      if (pile.length > 0) open();
    },
    put: (): void => {
      away.value = undefined;
      options.onSeen();
    },
    forget: (_start: Cursor): void => {
      pile = [];
      away.value = undefined;
    },
  };
};
