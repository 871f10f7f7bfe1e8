import { textOf } from '../../../shared/game-code.ts';
import type { OpsAnswers, OpsDifferences } from '../../../shared/ops/ops-answers.ts';
import { OptionsRefused } from '../../../shared/options/options-refused.ts';
import { ok } from '../../../shared/result.ts';
import type { ClockCare } from '../../timer/clock/clock-watch.ts';
import { IndexUnavailable } from '../../timer/index/due-index.ts';
import type { IndexCare } from '../../timer/index-operations.ts';
import { type Handles, type OpsResult, opsRefusal } from '../perform/ops-call.ts';
import { type AuditStore, type OpsOrder, perform } from '../perform/perform.ts';

interface Dependencies {
  readonly index: IndexCare;
  readonly audit: AuditStore;
}

/** A comparison of many millions of timers takes minutes. Meanwhile the transaction locks only its commandId. */
const IDLE_MS = 600_000;

/** Acts on the due index. The audit has an entry for each request; a repeated one is harmless. */
export const indexActs = {
  index: async ({ index }) => ok(await index.state()),

  rebuild: (on, { operator, input: write }) =>
    act(on, { actor: operator.name, action: 'rebuild', write, body: {} }, () =>
      on.index.rebuild().then(() => undefined),
    ),

  /** Also returns the differences that it healed. */
  reconcile: (on, { operator, input: write }) =>
    act(on, { actor: operator.name, action: 'reconcile', write, body: {} }, () => on.index.reconcile()),

  reshard: async (on, { operator, input: { shards, ...write } }) => {
    const isDryRun = write.dryRun === true;
    if (isDryRun) {
      const possible = await refusing(async () => {
        on.index.checkReshard(shards);
        return undefined;
      });
      if (!possible.ok) return possible;
    }
    const done = await act(on, { actor: operator.name, action: 'reshard', write, body: { shards } }, () =>
      on.index.reshard(shards).then(() => undefined),
    );
    if (!done.ok || !isDryRun) return done;
    return ok({ ...done.value, answer: { ...done.value.answer, wantedShards: shards } });
  },
} satisfies Handles<Dependencies>;

/** Returns the differences, if the act compares. */
type Change = () => Promise<OpsDifferences | undefined>;

const act = ({ audit, index }: Dependencies, order: Omit<OpsOrder, 'target'>, change: Change) =>
  perform(audit, { ...order, target: 'index', idleMs: IDLE_MS }, async () => {
    const before = await index.state();
    const changed = order.write.dryRun === true ? ok(undefined) : await refusing(change);
    if (!changed.ok) return changed;
    const after = await index.state();
    const found = changed.value;
    return ok({ before, after, answer: { ...after, ...(found && { found }) } });
  });

const refusing = async (change: Change): Promise<OpsResult<OpsDifferences | undefined>> => {
  try {
    return ok(await change());
  } catch (error) {
    if (error instanceof IndexUnavailable) return opsRefusal('index/impossible', { why: textOf(error.cause) });
    if (error instanceof OptionsRefused) return opsRefusal('index/impossible', { why: whyOf(error) });
    throw error;
  }
};

const whyOf = ({ faults }: OptionsRefused): string => faults.map(({ what, remedy }) => `${what}: ${remedy}`).join(', ');

interface OnClock {
  readonly clock: ClockCare;
  readonly audit: AuditStore;
}

/** Acts on the database's clock (ADR 70). */
export const clockActs = {
  clock: async ({ clock }) => ok(clock.state()),

  /** Works even if this process holds no time, because another one may. A repetition is harmless. */
  acceptClock: ({ clock, audit }, { operator, input: write }): Promise<OpsResult<OpsAnswers['acceptClock']>> =>
    perform(audit, { actor: operator.name, action: 'accept', target: 'clock', write, body: {} }, async () => {
      const before = clock.state();
      if (write.dryRun !== true) await clock.accept();
      const after = clock.state();
      return ok({ before, after, answer: { before, after } });
    }),
} satisfies Handles<OnClock>;
