import type { Complain, Growth, PlayerEvidence } from '../evidence/evidence.ts';

/** A bed is sown by the rules in force: none older than those of when the player asked, none that were not ordered yet. */
export const judgeGrowth = (
  { log, commands }: PlayerEvidence,
  growths: readonly Growth[],
  complain: Complain,
): void => {
  const firstSentAtMs = new Map(
    commands.map(({ commandId, attempts }) => [commandId, Math.min(...attempts.map(({ sentAtMs }) => sentAtMs))]),
  );
  for (const { event, committedAtMs } of log) {
    if (event.type !== 'field/sown') continue;
    const askedAtMs = firstSentAtMs.get(event.commandId ?? '') ?? 0;
    const oldest = growths.findLastIndex(({ committedByMs }) => committedByMs < askedAtMs);
    const possible = growths.slice(Math.max(0, oldest)).filter(({ orderedAtMs }) => orderedAtMs <= committedAtMs);
    if (possible.some(({ growMs }) => growMs === event.growMs)) continue;
    complain(
      `seq ${event.seq}: grows ${event.growMs} ms, the rules in force said ${possible.map((one) => one.growMs)}`,
    );
  }
};
