import type { IndexEntry } from '../../../timer/model/index-entry.ts';

/** A double holds 42 bits of milliseconds (until 2109) and 11 bits of revision. */
const REVISIONS = 2048;

/** The part of a revision that the fence compares. */
export const fenceOf = (revision: number): number => revision % REVISIONS;

/** The exact score of an entry as text: the whole part is the fire time, the fraction the fence. */
export const scoreOf = ({ fireAtMs, revision }: Pick<IndexEntry, 'fireAtMs' | 'revision'>): string =>
  String(fireAtMs + fenceOf(revision) / REVISIONS);

export const fireAtMsOfScore = (score: string): number => Math.floor(Number(score));

/** The revision, as precisely as the fence knows it. */
export const revisionOfScore = (score: string): number => {
  const exact = Number(score);
  return (exact - Math.floor(exact)) * REVISIONS;
};
