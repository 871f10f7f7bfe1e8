import fc from 'fast-check';
import type { ChangeOutcome } from '../../server/timer/model/timer-changes.ts';
import type { ScheduleAnswer } from '../../server/timer/model/timer-writes.ts';
import type { TimerTransaction } from '../../server/timer/write/timer-transaction.ts';
import { type DoneStep, INSERT_TRANSACTION, KeyTaken, type Order } from './world/game-tables.ts';
import { REMINDER } from './world/reminders.ts';
import { inTransaction, type SimTx } from './world/sim-tx.ts';
import type { SimNode, SimWorld } from './world/sim-world.ts';

/** A call of `timers`. Times count from when the transaction is first asked for, so that a repetition asks for the same. */
export type Step = { readonly reminder: number } & (
  | { readonly type: 'schedule'; readonly inMs: number; readonly order: Order }
  | { readonly type: 'reschedule'; readonly inMs: number }
  | { readonly type: 'shift'; readonly byMs: number }
  | { readonly type: 'cancel' }
);

/** `rolled back`: the game throws when all is written. `answer lost`: the first commit is done, and its answer is lost. */
export type End = 'committed' | 'rolled back' | 'answer lost';

/** A transaction of the game, with a row of its own. */
export interface TransactionAct {
  readonly type: 'transaction';
  readonly atMs: number;
  readonly steps: readonly Step[];
  readonly end: End;
  /** `timers.within`: the game begins and commits the transaction, and calls `afterCommit`. */
  readonly by: 'timers.transaction' | 'timers.within';
}

/** A transaction with everything that the game learned. */
export interface AskedTransaction {
  readonly id: string;
  readonly act: TransactionAct;
  /** For the first time. */
  readonly askedAtMs: number;
  outcome: 'committed' | 'rolled back' | undefined;
  tries: number;
}

/** So few that transactions meet each other's timers. */
const REMINDERS = 2;
const MOST_STEPS = 3;
/** How long the game waits for an answer. */
const PATIENCE_MS = 2500;
/** How long it waits after a failure. */
const AGAIN_MS = 200;

const reminder = fc.nat(REMINDERS - 1);
/** Many are due, or come, at the same instants: so a cancel often meets a fire. */
const TICK_MS = 250;
const ticks = (most: number) => fc.nat(Math.floor(most / TICK_MS)).map((place) => place * TICK_MS);
const inMs = fc.oneof(ticks(1500), fc.integer({ min: -50, max: 1500 }));
const order: fc.Arbitrary<Order> = fc.record({
  turns: fc.constantFrom(1, 1, 1, 2, 3),
  everyMs: fc.integer({ min: 0, max: 600 }),
  fails: fc.constantFrom(0, 0, 0, 0, 0, 1, 2),
  isHopeless: fc.integer({ min: 0, max: 11 }).map((drawn) => drawn === 0),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ type: fc.constant('schedule' as const), reminder, inMs, order }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('reschedule' as const), reminder, inMs }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('shift' as const),
      reminder,
      byMs: fc.integer({ min: -800, max: 800 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('cancel' as const), reminder }) },
);

/** Rows are locked in the order of their keys, as the documents ask of a game. */
const steps = fc
  .array(step, { minLength: 1, maxLength: MOST_STEPS })
  .map((drawn): readonly Step[] => drawn.toSorted((left, right) => left.reminder - right.reminder));

/** A game's transaction in the first `activeMs`, with one of these ends. */
export const transactionAt = (activeMs: number, ...ends: readonly End[]): fc.Arbitrary<TransactionAct> =>
  fc.record({
    type: fc.constant('transaction' as const),
    atMs: fc.oneof(ticks(activeMs), fc.nat(activeMs)),
    steps,
    end: fc.constantFrom(...ends),
    by: fc.constantFrom('timers.transaction', 'timers.within'),
  });

/** Asks for it until the outcome is known. */
export const beginTransaction = (world: SimWorld, act: TransactionAct, id: string): AskedTransaction => {
  const asked: AskedTransaction = { id, act, askedAtMs: world.database.nowMs(), outcome: undefined, tries: 0 };
  ask(world, asked);
  return asked;
};

const ask = (world: SimWorld, asked: AskedTransaction): void => {
  const { kernel } = world;
  const to = world.nodes[kernel.random.below(world.nodes.length)];
  const again = (): void => {
    if (asked.outcome === undefined) ask(world, asked);
  };
  if (!to) return void kernel.after(AGAIN_MS, again);
  const giveUp = kernel.after(PATIENCE_MS, again);
  play(world, to, asked).then(
    () => {
      if (asked.outcome !== undefined) return;
      giveUp();
      asked.outcome = 'committed';
    },
    (error: unknown) => {
      if (asked.outcome !== undefined) return;
      giveUp();
      if (asked.act.end === 'rolled back') asked.outcome = 'rolled back';
      else if (error instanceof KeyTaken) asked.outcome = 'committed';
      else kernel.after(AGAIN_MS, again);
    },
  );
};

const play = async (world: SimWorld, { process, engine }: SimNode, asked: AskedTransaction): Promise<void> => {
  asked.tries += 1;
  const isLost = asked.act.end === 'answer lost' && asked.tries === 1;
  const work = async (timers: TimerTransaction): Promise<void> => {
    const steps: DoneStep[] = [];
    for (const each of asked.act.steps)
      steps.push(await perform(timers, each, { fromMs: asked.askedAtMs, nowMs: world.database.nowMs() }));
    await timers.tx.query(INSERT_TRANSACTION, [{ type: 'transaction', id: asked.id, steps }]);
    if (asked.act.end === 'rolled back') throw new Error('the game thinks better of it');
    if (isLost) (timers.tx as SimTx).loseAnswer();
  };
  if (asked.act.by === 'timers.transaction') return engine.timers.transaction(work);
  const on = { process, database: world.database, wire: world.toDatabase };
  const timers = await inTransaction(on, async (tx) => {
    const within = engine.timers.within(tx);
    await work(within);
    return within;
  });
  await timers.afterCommit();
};

interface Performing {
  /** What `inMs` counts from. */
  readonly fromMs: number;
  readonly nowMs: number;
}

const perform = async (timers: TimerTransaction, step: Step, { fromMs, nowMs }: Performing): Promise<DoneStep> => {
  const target = { kind: REMINDER, subject: `reminder-${step.reminder}` };
  const done = async (outcomes: Promise<readonly (ScheduleAnswer | ChangeOutcome)[]>, given: Partial<DoneStep>) => {
    const [answer] = await outcomes;
    const timerId = answer && 'timer' in answer ? answer.timer.id : undefined;
    return {
      type: step.type,
      subject: target.subject,
      askedAtMs: nowMs,
      outcome: answer?.outcome ?? 'none',
      timerId,
      ...given,
    };
  };
  if (step.type === 'cancel') return done(timers.cancel([target]), {});
  if (step.type === 'shift') return done(timers.shift([{ ...target, byMs: step.byMs }]), { byMs: step.byMs });
  const dueAtMs = fromMs + step.inMs;
  if (step.type === 'reschedule') return done(timers.reschedule([{ ...target, dueAtMs }]), { dueAtMs });
  const { order } = step;
  const owner = `player-${step.reminder}`;
  return done(timers.schedule([{ ...target, owner, dueAtMs, payload: order }]), { dueAtMs, order });
};
