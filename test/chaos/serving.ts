import type { Attempt, Violation } from './evidence/evidence.ts';
import type { ServerNode } from './world/node.ts';

/** So long after a store is back all gateways serve. */
const SERVING_MS = 5_000;

interface Back {
  readonly gateways: readonly string[];
  /** When a store was there again; by `Date.now()`. */
  readonly backAtMs: readonly number[];
}

/** After each of these instants: how long until every gateway had accepted a command. Infinite where one never did. */
export const servingMs = (attempts: readonly Attempt[], { gateways, backAtMs }: Back): readonly number[] => {
  const accepted = attempts.filter(({ outcome }) => outcome.kind === 'accepted');
  const firstMs = (address: string, fromMs: number): number =>
    accepted.reduce(
      (first, { gateway, endedAtMs }) =>
        gateway === address && endedAtMs >= fromMs ? Math.min(first, endedAtMs) : first,
      Number.POSITIVE_INFINITY,
    );
  return backAtMs.map((fromMs) => Math.max(...gateways.map((address) => firstMs(address, fromMs))) - fromMs);
};

export const judgeServing = (times: readonly number[]): readonly Violation[] =>
  times
    .filter((ms) => ms > SERVING_MS)
    .map((ms) => ({ playerId: '', what: `a gateway served ${ms} ms after the store was back` }));

/** No fault of a store ends a process. */
export const exits = (nodes: readonly ServerNode[]): readonly Violation[] =>
  nodes.filter(({ hasExited }) => hasExited).map(({ name }) => ({ playerId: name, what: 'ended by itself' }));
