import { isOfThing, type Timer } from '../../server/timer/model/timer.ts';
import type { AskedTransaction } from './game-transactions.ts';
import type { DoneStep, EffectRow, GameRow, Order, TransactionRow } from './world/game-tables.ts';
import { RETRY_DELAYS_MS } from './world/reminders.ts';

/** A timer as the game's own rows have it, replayed in the order of their commits. */
interface Expected {
  readonly subject: string;
  readonly order: Order;
  /** When its transaction committed. */
  readonly madeAtMs: number;
  dueAtMs: number;
  turn: number;
  state: 'scheduled' | 'completed' | 'cancelled';
  /** When its last change was committed. */
  changedAtMs: number;
}

export interface ReminderEvidence {
  readonly rows: readonly GameRow[];
  readonly timers: readonly Timer[];
  readonly asked: readonly AskedTransaction[];
  readonly readAtMs: number;
  /** How much later than its due time, its last change and this instant a turn may be committed. */
  readonly lateMs: number;
  readonly calmAtMs: number;
}

/**
 * Everything that is wrong with timers of the game's own kind. Replays the game's rows alone, and compares effects and
 * timer rows with the result.
 */
export const judgeReminders = (evidence: ReminderEvidence): string[] => {
  const replay = new Replay(evidence);
  for (const row of evidence.rows) {
    if (row.type === 'effect') replay.effect(row);
    else for (const step of row.steps) replay.step(row, step);
  }
  return [...replay.faults, ...transactionFaults(evidence), ...rowFaults(evidence, replay.timers)];
};

type Committed<Row> = Row & { readonly committedAtMs: number };

class Replay {
  readonly timers = new Map<string, Expected>();
  readonly faults: string[] = [];
  readonly #evidence: ReminderEvidence;

  constructor(evidence: ReminderEvidence) {
    this.#evidence = evidence;
  }

  step(row: Committed<TransactionRow>, step: DoneStep): void {
    const what = step.outcome === 'applied' ? this.#applied(row, step) : this.#refused(row, step);
    if (what) this.faults.push(`${row.id}: ${step.type} of ${step.subject} ${step.outcome}: ${what}`);
  }

  #applied(
    { committedAtMs }: Committed<TransactionRow>,
    { type, subject, order, dueAtMs, byMs = 0, timerId = '' }: DoneStep,
  ): string | undefined {
    if (type === 'schedule') {
      const live = this.#liveOf(subject);
      if (live && !mayBeDead(live, committedAtMs)) return 'another timer has the key';
      if (!order || dueAtMs === undefined) return 'it has no order';
      const atMs = { madeAtMs: committedAtMs, changedAtMs: committedAtMs };
      this.timers.set(timerId, { subject, order, dueAtMs, turn: 1, state: 'scheduled', ...atMs });
      return undefined;
    }
    const timer = this.timers.get(timerId);
    if (timer?.state !== 'scheduled') return 'its timer is not scheduled';
    if (type === 'cancel') timer.state = 'cancelled';
    timer.dueAtMs = dueAtMs ?? timer.dueAtMs + byMs;
    timer.changedAtMs = committedAtMs;
    return undefined;
  }

  #refused(
    { committedAtMs }: Committed<TransactionRow>,
    { type, subject, outcome, askedAtMs }: DoneStep,
  ): string | undefined {
    const live = this.#liveOf(subject);
    if (type === 'schedule') return live && outcome === 'duplicate' ? undefined : 'there is none';
    const present = [...this.timers.values()].filter((one) => one.subject === subject && one.state !== 'cancelled');
    // What is not there is not locked: it may have come since.
    if (outcome === 'not-found') return present.some((one) => one.madeAtMs < askedAtMs) ? 'it is there' : undefined;
    if (live && !mayBeDead(live, committedAtMs)) return 'it is scheduled';
    return present.some(hasEnded) ? undefined : 'it has not fired';
  }

  effect(row: Committed<EffectRow>): void {
    const timer = this.timers.get(row.timerId);
    const whats = timer ? this.#effectFaults(row, timer) : ['no committed transaction made its timer'];
    for (const what of whats) this.faults.push(`effect of timer ${row.timerId}, turn ${row.turn}: ${what}`);
    if (!timer) return;
    timer.turn = row.turn + 1;
    timer.changedAtMs = row.committedAtMs;
    if (row.nextDueAtMs === undefined) timer.state = 'completed';
    else timer.dueAtMs = row.nextDueAtMs;
  }

  /** The one that is scheduled under this key. */
  #liveOf(subject: string): Expected | undefined {
    return [...this.timers.values()].findLast((timer) => timer.subject === subject && timer.state === 'scheduled');
  }

  #effectFaults({ turn, dueAtMs, writtenAtMs, committedAtMs }: Committed<EffectRow>, timer: Expected): string[] {
    const { lateMs, calmAtMs } = this.#evidence;
    const beenLateMs = committedAtMs - Math.max(timer.dueAtMs, timer.changedAtMs, calmAtMs);
    return [
      ...(timer.state === 'scheduled' ? [] : [`its timer is ${timer.state}`]),
      ...(turn === timer.turn ? [] : [`turn ${timer.turn} is the next`]),
      ...(dueAtMs === timer.dueAtMs ? [] : [`due at ${dueAtMs}, but its timer at ${timer.dueAtMs}`]),
      ...(writtenAtMs >= timer.dueAtMs ? [] : [`${timer.dueAtMs - writtenAtMs} ms early`]),
      ...(timer.order.isHopeless ? ['its handler failed'] : []),
      ...(beenLateMs <= lateMs + retriedMs(timer.order) ? [] : [`${beenLateMs} ms late`]),
    ];
  }
}

/** It completed, or may be dead: no effect says so. */
const hasEnded = ({ state, order }: Expected): boolean => state === 'completed' || order.isHopeless;

const mayBeDead = ({ order, dueAtMs }: Expected, atMs: number): boolean => order.isHopeless && dueAtMs <= atMs;

/** How long retries take. */
const retriedMs = ({ fails }: Order): number =>
  RETRY_DELAYS_MS.slice(0, fails).reduce((sum, delayMs) => sum + delayMs, 0);

const transactionFaults = ({ asked, rows }: ReminderEvidence): string[] => {
  const committed = rows.filter(({ type }) => type === 'transaction').map((row) => (row as TransactionRow).id);
  return asked.flatMap(({ id, act, outcome }) => {
    const times = committed.filter((one) => one === id).length;
    if (outcome === undefined) return [`${id} had no outcome`];
    if (times !== (act.end === 'rolled back' ? 0 : 1)) return [`${id}: ${outcome}, and committed ${times} times`];
    return [];
  });
};

/** At rest each timer of a committed transaction has a row in its last state, and there are no other rows. */
const rowFaults = ({ timers, readAtMs }: ReminderEvidence, expected: ReadonlyMap<string, Expected>): string[] => {
  const own = timers.filter(({ id }) => !isOfThing(id));
  const strangers = own
    .filter(({ id }) => !expected.has(id))
    .map(({ id }) => `timer ${id}: no committed transaction made it`);
  const states = new Map(own.map(({ id, state }) => [id, state]));
  const others = [...expected].flatMap(([id, { state, order, dueAtMs, subject }]) => {
    const wanted = state === 'scheduled' && order.isHopeless ? 'dead' : state;
    const found = states.get(id);
    if (wanted === 'scheduled')
      return [`timer ${id} of ${subject}, due ${readAtMs - dueAtMs} ms ago, never fired: ${found}`];
    return found === wanted ? [] : [`timer ${id} of ${subject} is ${found}, not ${wanted}`];
  });
  return [...strangers, ...others];
};
