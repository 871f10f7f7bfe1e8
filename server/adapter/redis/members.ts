import type { IndexEntry } from '../../timer/due-index.ts';
import { fireAtMsOfScore, revisionOfScore } from './fence-score.ts';

/** What `WITHSCORES` answers. */
export const pairsOf = (flat: readonly string[]): readonly (readonly [member: string, score: string])[] =>
  Array.from({ length: flat.length / 2 }, (_, at) => [flat[at * 2] ?? '', flat[at * 2 + 1] ?? ''] as const);

/** A member of a shard's order: `timerId:owner`. */
export const entryOfMember = (member: string, score: string): IndexEntry => {
  const colon = member.indexOf(':');
  const [timerId, owner] = [member.slice(0, colon), member.slice(colon + 1)];
  return { timerId, owner, fireAtMs: fireAtMsOfScore(score), revision: revisionOfScore(score) };
};
