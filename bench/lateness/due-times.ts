import { randomFrom } from '../../shared/random-from.ts';

export interface Plan {
  readonly count: number;
  /** Over how long the timers are spread, evenly. */
  readonly spanMs: number;
  /** Time to schedule them before the first is due. Default 1.5 s. */
  readonly leadMs?: number;
}

export interface DueTimes {
  /** In an order of chance. */
  readonly atMs: readonly number[];
  /** The first fifth is for compilers and caches. */
  readonly countsFromMs: number;
}

const FAR_MS = 4 * 3_600_000;

/** From soon on, one after the other. */
export const dueTimes = ({ count, spanMs, leadMs = 1_500 }: Plan): DueTimes => {
  const random = randomFrom(7);
  const startMs = Date.now() + leadMs;
  const atMs = Array.from({ length: count }, (_, at) => Math.round(startMs + (at * spanMs) / count))
    .map((dueAtMs) => ({ dueAtMs, place: random() }))
    .sort((left, right) => left.place - right.place)
    .map(({ dueAtMs }) => dueAtMs);
  return { atMs, countsFromMs: startMs + spanMs / 5 };
};

/** When the timers are due that only wait: in four to eight hours. */
export const farTimes = (count: number): readonly number[] => {
  const random = randomFrom(8);
  const startMs = Date.now() + FAR_MS;
  return Array.from({ length: count }, () => startMs + Math.floor(random() * FAR_MS));
};

/** Ten timers an owner, as a player with some pets. */
export const ownerOf = (timerId: number): string => `owner-${Math.floor(timerId / 10)}`;
