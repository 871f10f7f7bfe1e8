import {
  type Complain,
  type Evidence,
  type Growth,
  isDue,
  type PlayerEvidence,
  type Violation,
} from '../evidence/evidence.ts';
import { judgeCommands } from './judge-commands.ts';
import { judgeRows } from './judge-rows.ts';
import { judgeSight } from './judge-sight.ts';
import { retell } from './retell.ts';

/** Everything in the evidence that must never be. `boundMs`: how late a feeding or harvest may be noticed at all. */
export const judgeEvidence = (evidence: Evidence, boundMs: number): readonly Violation[] => [
  ...evidence.strangers.map((playerId) => ({ playerId, what: 'is in the database and in no load' })),
  ...evidence.players.flatMap((player) => judgePlayer(player, evidence, boundMs)),
];

const judgePlayer = (player: PlayerEvidence, evidence: Evidence, boundMs: number): Violation[] => {
  const { rules, growths, readAtMs } = evidence;
  const violations: Violation[] = [];
  const { playerId, log } = player;
  const complain = (what: string): void => void violations.push({ playerId, what });
  const home = retell(player, rules, complain);
  judgeRows(player, home, complain);
  judgeCommands(player, complain);
  judgeSight(player, home, complain);
  judgeGrowth(player, growths, complain);
  for (const { event, committedAtMs } of log) {
    const earlyMs = event.at - committedAtMs;
    if (earlyMs > 0) complain(`seq ${event.seq} ${event.type}: committed ${earlyMs} ms before its time`);
    const lateMs = isDue(event) ? -earlyMs : 0;
    if (lateMs > boundMs)
      complain(`seq ${event.seq}: completed ${Math.round(lateMs)} ms late, the bound is ${boundMs}`);
  }
  for (const { bowl } of home.pets.values()) {
    const overdueMs = bowl ? readAtMs - bowl.dueAtMs : 0;
    if (overdueMs > boundMs) complain(`${bowl?.feedingId} was due ${overdueMs} ms ago, the bound is ${boundMs}`);
  }
  for (const { bed, ripeAtMs = readAtMs } of home.beds.values()) {
    const overdueMs = readAtMs - ripeAtMs;
    if (overdueMs > boundMs) complain(`${bed} was ripe ${overdueMs} ms ago, the bound is ${boundMs}`);
  }
  return violations;
};

/** A bed is sown by the rules in force: none older than those of when the player asked, none that were not ordered yet. */
const judgeGrowth = ({ log, commands }: PlayerEvidence, growths: readonly Growth[], complain: Complain): void => {
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
