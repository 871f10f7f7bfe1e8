import { isDeepStrictEqual } from 'node:util';
import type { Reply } from '../../../shared/pets/protocol.ts';
import type {
  Attempt,
  AttemptOutcome,
  CommandRecord,
  Complain,
  LoggedEvent,
  PlayerEvidence,
  ToldEvent,
} from '../evidence/evidence.ts';
import { judgeAsked, judgeRefused } from './judge-asked.ts';

/** With which event a command of each type begins. */
const firstEvents: Readonly<Record<string, readonly ToldEvent['type'][]>> = {
  'home:adopt': ['pet-adopted'],
  'home:feed': ['feeding-started'],
  'home:use-card': ['card-used'],
  'home:disarm': ['auto-feed-disarmed'],
  'home:stop': ['feeding-stopped'],
  'field:sow': ['field/sown'],
  'field:hurry': ['field/hurried'],
  // An operator's, sent for the player.
  'ops:grant': ['items-granted'],
  'home:release': ['feeding-stopped', 'auto-feed-disarmed', 'pet-released'],
};

/**
 * An accepted command is in the log exactly once, with its answer; a rejected one left nothing; a command of unknown
 * outcome is in the log at most once; once done, it is never refused; and the log has no other commands of the player.
 */
export const judgeCommands = ({ log, commands }: PlayerEvidence, complain: Complain): void => {
  const ordered = Map.groupBy(
    log.filter(({ event }) => event.commandId !== undefined),
    ({ event }) => event.commandId ?? '',
  );
  const known = new Set(commands.map((command) => command.commandId));
  for (const [commandId, found] of ordered) {
    const { seq } = found[0]?.event ?? {};
    if (!known.has(commandId)) complain(`seq ${seq}: the player never sent command ${commandId}`);
    if (found.length > 1) complain(`command ${commandId} was done ${found.length} times`);
  }
  for (const command of commands) judgeCommand(command, ordered.get(command.commandId)?.[0], log, complain);
};

const judgeCommand = (
  command: CommandRecord,
  first: LoggedEvent | undefined,
  log: readonly LoggedEvent[],
  complain: Complain,
): void => {
  const { commandId, type, attempts } = command;
  const about = (what: string): void => complain(`command ${commandId} ${type}: ${what}`);
  const outcomes = attempts.map((attempt) => attempt.outcome);
  const accepted = outcomes.filter((outcome) => outcome.kind === 'accepted');
  if (accepted.length > 0 && !first) about('was accepted and is not in the log');
  const isRejected = outcomes.every((outcome) => outcome.kind === 'rejected');
  if (isRejected && first) about(`was rejected and is in the log at seq ${first.event.seq}`);
  if (outcomes.some(isReuse)) about('was taken for another command');
  judgeRefused(command, log, about);
  if (!first) return;
  judgeAsked(command, first, about);
  const isLate = ({ outcome, sentAtMs }: Attempt): boolean =>
    outcome.kind === 'rejected' && !outcome.retryable && sentAtMs > first.committedAtMs;
  if (attempts.some(isLate)) about('was refused after it was done');
  if (!firstEvents[type]?.includes(first.event.type)) about(`begins with ${first.event.type}`);
  const events = log.map(({ event }) => event).slice(first.event.seq - 1, first.answerSeq);
  for (const { reply } of accepted) judgeReply(reply, events, about);
};

const isReuse = (outcome: AttemptOutcome): boolean => outcome.kind === 'rejected' && outcome.code === 'command/reused';

const judgeReply = (reply: Reply, events: readonly ToldEvent[], complain: Complain): void => {
  const [first, last] = [events[0], events.at(-1)];
  if (!isDeepStrictEqual(reply.events, events)) {
    complain(`was answered ${JSON.stringify(reply.events)}, the log has ${JSON.stringify(events)}`);
    return;
  }
  const petId = first && 'petId' in first ? first.petId : undefined;
  const expected = {
    seq: last?.seq,
    nowMs: first?.at,
    petId,
    feedingId: first && 'feedingId' in first ? first.feedingId : undefined,
    dueAt: dueAfter(events.filter((event) => 'petId' in event && event.petId === petId)),
    wastedMs: first?.type === 'card-used' ? first.wastedMs : undefined,
  };
  for (const [name, value] of Object.entries(expected)) {
    const said = reply[name as keyof Reply];
    if (said !== value) complain(`its reply says ${name} ${String(said)}, the log ${String(value)}`);
  }
};

const dueAfter = (events: readonly ToldEvent[]): number | undefined => {
  const last = events.findLast(({ type }) => type.startsWith('feeding-') || type === 'card-used');
  if (!last) return undefined;
  return 'dueAt' in last ? last.dueAt : 0;
};
