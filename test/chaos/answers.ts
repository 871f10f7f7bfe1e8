import {
  type Attempt,
  type ConnectionRecord,
  type Evidence,
  isDue,
  isFinal,
  type PlayerEvidence,
  type RefusedJoin,
  type Violation,
} from './evidence/evidence.ts';

/** Half of the commands must be answered in this time while something else is broken. */
const ANSWERED_MS = 1_000;

interface During {
  readonly fromMs: number;
  readonly toMs: number;
  /** The gateway that was struck itself, if one was. */
  readonly struckGateway: string | undefined;
}

/** What was asked before the fault began, and answered or not. */
export const askedBefore = (attempts: readonly Attempt[], { fromMs }: During): readonly Attempt[] =>
  attempts.filter(({ sentAtMs }) => sentAtMs < fromMs);

/** What was asked of living gateways in that time. */
export const asked = (attempts: readonly Attempt[], { fromMs, toMs, struckGateway }: During): readonly Attempt[] =>
  attempts.filter(({ gateway, sentAtMs }) => sentAtMs >= fromMs && sentAtMs <= toMs && gateway !== struckGateway);

/** A living gateway lets everybody in. */
export const judgeJoins = (
  refused: readonly RefusedJoin[],
  { fromMs, toMs, struckGateway }: During,
): readonly Violation[] =>
  refused
    .filter(({ gateway, atMs }) => atMs >= fromMs && atMs <= toMs && gateway !== struckGateway)
    .map(({ gateway, why }) => ({ playerId: '', what: `a living gateway, ${gateway}, refused a join: ${why}` }));

export const answerTimes = (attempts: readonly Attempt[]): Spread =>
  spreadOf(attempts.map(({ sentAtMs, endedAtMs }) => endedAtMs - sentAtMs));

/** The others go on: everybody is answered, and most at once. How it was before the fault tells a slow machine from it. */
export const judgeAnswers = (attempts: readonly Attempt[], before: readonly Attempt[]): readonly Violation[] => {
  const unanswered = attempts.filter(({ outcome }) => outcome.kind === 'unknown');
  const { p50Ms } = answerTimes(attempts);
  const beforeMs = answerTimes(before).p50Ms;
  return [
    ...(attempts.length === 0 ? [{ playerId: '', what: 'no command went to a living gateway' }] : []),
    ...unanswered.map(({ gateway, outcome }) => ({
      playerId: '',
      what: `a living gateway, ${gateway}, gave no outcome: ${JSON.stringify(outcome)}`,
    })),
    ...(p50Ms > ANSWERED_MS
      ? [{ playerId: '', what: `half of the answers took ${p50Ms} ms or more, before ${beforeMs} ms` }]
      : []),
  ];
};

interface Back {
  readonly gateways: readonly string[];
  /** When a store was there again; by `Date.now()`. */
  readonly backAtMs: readonly number[];
}

/** After each of these instants: how long until every gateway had accepted a command that was sent since. Infinite where one never did. */
export const servingMs = (attempts: readonly Attempt[], { gateways, backAtMs }: Back): readonly number[] => {
  const accepted = attempts.filter(({ outcome }) => outcome.kind === 'accepted');
  const firstMs = (address: string, fromMs: number): number =>
    accepted.reduce(
      (first, { gateway, sentAtMs, endedAtMs }) =>
        gateway === address && sentAtMs >= fromMs ? Math.min(first, endedAtMs) : first,
      Number.POSITIVE_INFINITY,
    );
  return backAtMs.map((fromMs) => Math.max(...gateways.map((address) => firstMs(address, fromMs))) - fromMs);
};

/** Long after the fault each command has its outcome. */
export const judgeEnd = (players: readonly PlayerEvidence[]): readonly Violation[] =>
  players.flatMap(({ playerId, commands }) =>
    commands
      .filter(({ attempts }) => !attempts.some(({ outcome }) => isFinal(outcome)))
      .map(({ commandId, type }) => ({ playerId, what: `command ${commandId} ${type} was never answered` })),
  );

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

const spreadOf = (values: readonly number[]): Spread => {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) };
};
