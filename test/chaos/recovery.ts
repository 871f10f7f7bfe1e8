import type { Attempt, Evidence } from './evidence/evidence.ts';

/** What takes longer than this is still disturbed. */
const DISTURBED_MS = 1_000;

/** How long after `struckAtMs` an answer or a completion still came a second late or more; 0 when none did. */
export const recoveryMs = ({ players }: Evidence, attempts: readonly Attempt[], struckAtMs: number): number => {
  const lateAnswers = attempts
    .filter(({ sentAtMs, endedAtMs }) => endedAtMs - sentAtMs >= DISTURBED_MS)
    .map(({ endedAtMs }) => endedAtMs);
  const lateCompletions = players.flatMap(({ log }) =>
    log.flatMap(({ event, committedAtMs }) =>
      event.type === 'feeding-completed' && committedAtMs - event.at >= DISTURBED_MS ? committedAtMs : [],
    ),
  );
  return Math.max(struckAtMs, ...lateAnswers, ...lateCompletions) - struckAtMs;
};
