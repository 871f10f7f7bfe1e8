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
  readonly isOnline: () => boolean;
}

/** After a shorter absence the player gets toasts, as if present. */
const AWAY_MS = 60_000;
/** Missed events come in several messages. */
const GATHER_MS = 250;
/** After a look of this length without news the absence is over. Sooner, the connection may be one that is dead. */
const STAY_MS = 15_000;
const TOLD_AT_ONCE = 3;

/** The time that the player has not looked: hidden and then cut off are one absence. */
const createAbsence = ({ nowMs, isHidden, isOnline }: NewspaperOptions) => {
  /** The server's time when the player last looked; 0: before this visit. */
  let lookedAtMs = 0;
  let isAway = isHidden();
  let cancel = (): void => {};
  const end = (): void => {
    cancel();
    isAway = false;
  };
  return {
    begin: (): void => {
      cancel();
      if (!isAway) lookedAtMs = nowMs() ?? lookedAtMs;
      isAway = true;
    },
    end,
    /** Ends it if the player stays. */
    endLater: (): void => {
      cancel();
      cancel = systemPlatform.after(STAY_MS, () => {
        if (isOnline() && !isHidden()) end();
      });
    },
    /** From its begin until now, or until an event at `atMs` if the time is not known yet. */
    lengthMs: (atMs: number): number => Math.max(nowMs() ?? 0, atMs) - lookedAtMs,
  };
};

/** Decides which events are shown at once, and which wait for «while you were away» until the player looks. */
export const createNewspaper = (options: NewspaperOptions) => {
  const away = signal<AwaySummary | undefined>(undefined);
  const absence = createAbsence(options);
  let pile: GameEvent[] = [];
  /** The events of the open summary: they are not seen yet. */
  let sheet: GameEvent[] = [];
  let cancel = (): void => {};

  const tell = (events: readonly GameEvent[]): void => {
    for (const event of events) options.onTell(event);
    // Another visit must find what the open summary tells.
    if (!away.value) options.onSeen();
  };

  const open = (): void => {
    if (options.isHidden()) return;
    absence.end();
    const fresh = pile;
    pile = [];
    const events = [...sheet, ...fresh];
    const isLong = absence.lengthMs(events.at(-1)?.at ?? 0) >= AWAY_MS;
    const summary = isLong ? summarize(events, options.levels()) : undefined;
    if (summary) {
      sheet = events;
      away.value = summary;
    } else tell(fresh.slice(-TOLD_AT_ONCE));
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
      absence.end();
      tell(events);
    },
    /** From now on the page is not seen: it is hidden, or cut off. */
    lookAway: absence.begin,
    /** The page is online. Missed events came before. */
    stay: absence.endLater,
    lookAgain: (): void => {
      if (pile.length > 0) open();
      else absence.endLater();
    },
    put: (): void => {
      away.value = undefined;
      sheet = [];
      options.onSeen();
    },
    forget: (_start: Cursor): void => {
      pile = [];
      sheet = [];
      away.value = undefined;
    },
  };
};
