import { isDeepStrictEqual } from 'node:util';
import { type Attempt, type CommandRecord, type Complain, isDue, type LoggedEvent } from '../evidence/evidence.ts';

/** Fields of a payload that its event repeats. */
const REPEATED = ['petId', 'food', 'card', 'feedingId', 'species', 'name'] as const;

/** The first event of an accepted command is what the command asked for, not before it was asked. */
export const judgeAsked = (
  { type, payload, attempts }: CommandRecord,
  { event }: LoggedEvent,
  complain: Complain,
): void => {
  const sentAtMs = Math.min(...attempts.map((attempt) => attempt.sentAtMs));
  if (event.at < sentAtMs) complain(`is dated ${sentAtMs - event.at} ms before it was sent`);
  const told = event as unknown as Readonly<Record<string, unknown>>;
  for (const name of REPEATED) {
    if (payload[name] !== undefined && name in told && told[name] !== payload[name])
      complain(`asked for the ${name} ${payload[name]}, and got ${told[name]}`);
  }
  if (payload.bed !== undefined && told.thing !== payload.bed) complain(`asked for ${payload.bed}, got ${told.thing}`);
  if (event.type === 'card-used') {
    const { count = 1, maxWastedMs = Number.POSITIVE_INFINITY } = payload as { count?: number; maxWastedMs?: number };
    if (event.count !== count) complain(`asked for ${count} cards, and played ${event.count}`);
    if ((event.wastedMs ?? 0) > maxWastedMs) complain(`wasted ${event.wastedMs} ms of at most ${maxWastedMs}`);
  }
  if (type === 'home:disarm' && payload.count !== undefined && event.type === 'auto-feed-disarmed') {
    const taken = Object.values(event.items).reduce((sum, each) => sum + each, 0);
    if (taken !== payload.count) complain(`asked for ${payload.count} cards back, and got ${taken}`);
  }
  if (type === 'ops:grant' && event.type === 'items-granted' && !isDeepStrictEqual(event.items, payload.items))
    complain(`gives ${JSON.stringify(event.items)} instead of ${JSON.stringify(payload.items)}`);
};

/** A feeding is not "over" while the log has it running. */
export const judgeRefused = (
  { payload, attempts }: CommandRecord,
  log: readonly LoggedEvent[],
  complain: Complain,
): void => {
  const ofFeeding = log.filter(({ event }) => 'feedingId' in event && event.feedingId === payload.feedingId);
  const begun = ofFeeding.find(({ event }) => event.type === 'feeding-started');
  if (payload.feedingId === undefined || !begun) return;
  const end = ofFeeding.find(({ event }) => isDue(event) || event.type === 'feeding-stopped');
  const isWrong = ({ outcome, sentAtMs, endedAtMs }: Attempt): boolean =>
    outcome.kind === 'rejected' &&
    outcome.code === 'feeding/already-done' &&
    begun.committedAtMs < sentAtMs &&
    (end?.event.at ?? Number.POSITIVE_INFINITY) > endedAtMs;
  if (attempts.some(isWrong)) complain(`was told that ${payload.feedingId} is over, which ran on`);
};
