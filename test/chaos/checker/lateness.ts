import { type ConnectionRecord, type Evidence, isDue } from '../evidence/evidence.ts';

export interface Spread {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** How long after their due times feedings were completed and beds were ripe: by the commit in Postgres, and by what connected clients saw. */
export const latenessOf = ({ players }: Evidence): { readonly committed: Spread; readonly seen: Spread } => ({
  committed: spreadOf(
    players.flatMap(({ log }) =>
      log.flatMap(({ event, committedAtMs }) => (isDue(event) ? committedAtMs - event.at : [])),
    ),
  ),
  seen: spreadOf(players.flatMap(({ connections }) => connections.flatMap(seenLate))),
});

const seenLate = ({ openedAtMs, arrivals }: ConnectionRecord): readonly number[] =>
  arrivals.flatMap(({ atMs, isRepeated, events }) =>
    events.flatMap((event) => (isDue(event) && event.at >= openedAtMs && !isRepeated ? atMs - event.at : [])),
  );

export const spreadOf = (values: readonly number[]): Spread => {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) };
};
