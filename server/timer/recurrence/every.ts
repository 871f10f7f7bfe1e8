import { dayOf } from './wall-times.ts';
import { type Zone, zoneOf } from './zone.ts';

const DAY_MS = 86_400_000;

/** When a timer that comes again begins, and when it comes no more: by whichever is first. */
export interface Ending {
  /** No turn comes by itself before this instant. With it a first due time may be left out. */
  readonly fromMs?: number | undefined;
  /** No turn is due after this instant. */
  readonly untilMs?: number | undefined;
  /** Turns in all, the first one counted, but not those that were put off or ordered anew. */
  readonly times?: number | undefined;
}

/** Each so many milliseconds, counted from the first due time. */
export interface EveryMs extends Ending {
  readonly ms: number;
  readonly days?: undefined;
  readonly timeZone?: undefined;
}

/** Each so many days of a time zone, at the same time on its wall; at the end of the gap where clocks leave that out. */
export interface EveryDays extends Ending {
  readonly days: number;
  readonly timeZone: string;
  readonly ms?: undefined;
}

export type Every = EveryMs | EveryDays;

/** The turns of an interval, by how many steps they are away from a due time. */
export interface Steps {
  readonly at: (step: number) => number;
  /** The last step by an instant. */
  readonly stepsBy: (byMs: number) => number;
}

/** Throws for a time zone that cannot be read. */
export const stepsOf = (every: Every, dueAtMs: number): Steps => {
  if (every.ms !== undefined) {
    const { ms } = every;
    return { at: (step) => dueAtMs + step * ms, stepsBy: (byMs) => Math.floor((byMs - dueAtMs) / ms) };
  }
  const zone = zoneOf(every.timeZone);
  const wallMs = wantedWallMs(zone, every, dueAtMs);
  const stepMs = every.days * DAY_MS;
  const at = (step: number): number => zone.instantOf(wallMs + step * stepMs);
  const stepsBy = (byMs: number): number => {
    let step = Math.floor((zone.wallOf(byMs) - wallMs) / stepMs) + 1;
    while (step > 0 && at(step) > byMs) step -= 1;
    return step;
  };
  return { at, stepsBy };
};

/** What the wall was to show: not the end of a gap, where this turn is due there because clocks left out its own time. */
const wantedWallMs = (zone: Zone, { fromMs }: EveryDays, dueAtMs: number): number => {
  const shownMs = zone.wallOf(dueAtMs);
  if (fromMs === undefined) return shownMs;
  const firstMs = zone.wallOf(fromMs);
  const thatDayMs = dayOf(shownMs) + firstMs - dayOf(firstMs);
  return [thatDayMs, thatDayMs - DAY_MS].find((wallMs) => zone.instantOf(wallMs) === dueAtMs) ?? shownMs;
};
