import type { OpsDone } from '../../../shared/ops/ops-answers.ts';
import type { OpsWrite } from '../../../shared/ops/ops-protocol.ts';
import { ok } from '../../../shared/result.ts';
import { commandHash } from '../../home/model/command-hash.ts';
import { StoreFault } from '../../home/model/store-fault.ts';
import type { Tx } from '../../timer/model/timer-store.ts';
import type { AuditEntry, AuditStore } from './audit.ts';
import { type OpsRefusal, type OpsResult, refuse } from './refusal.ts';

/** Who asks for what to be done to what. `body` is everything of the command that counts. */
export interface OpsOrder {
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  readonly write: OpsWrite;
  readonly body: object;
}

/** What was done inside the transaction. */
export interface Deed<Answer> {
  readonly before: unknown;
  readonly after: unknown;
  readonly answer: Answer;
  /** Entries for other targets of the same command. */
  readonly others?: readonly Pick<AuditEntry, 'target' | 'before' | 'after'>[];
  /** Tells followers and index. */
  readonly afterCommit?: () => unknown;
}

/** Ends a transaction that must leave nothing behind. */
class Abandoned extends Error {
  readonly result: OpsResult<never> | { readonly ok: true; readonly value: unknown };

  constructor(result: Abandoned['result']) {
    super('abandoned');
    this.result = result;
  }
}

/**
 * The one way in which operators change anything: the change and its audit in one transaction, once for each
 * `(commandId, target)`. Sent again it answers the first answer; with another body `command/reused`. A dry run does it
 * all and takes it back. A refusal leaves nothing.
 */
export const perform = async <Answer>(
  store: AuditStore,
  order: OpsOrder,
  act: (tx: Tx) => Promise<OpsResult<Deed<Answer>>>,
): Promise<OpsResult<OpsDone<Answer>>> => {
  const { commandId, dryRun: isDryRun = false } = order.write;
  let afterCommit: Deed<Answer>['afterCommit'];
  try {
    const answer = await store.transaction(async (tx) => {
      const hash = commandHash({ action: order.action, reason: order.write.reason, ...order.body });
      const earlier = await store.earlier(tx, commandId, order.target);
      if (earlier && earlier.hash !== hash) throw new Abandoned(refuse('command/reused', { commandId }));
      if (earlier) throw new Abandoned(ok(done(earlier.answer)));
      const deed = await act(tx);
      if (!deed.ok) throw new Abandoned(deed);
      if (isDryRun) throw new Abandoned(ok(done(deed.value.answer, true)));
      await store.add(tx, entriesOf(order, hash, deed.value));
      afterCommit = deed.value.afterCommit;
      return deed.value.answer;
    });
    await afterCommit?.();
    return ok(done(answer));
  } catch (error) {
    if (error instanceof Abandoned) return error.result as OpsResult<OpsDone<Answer>>;
    if (error instanceof StoreFault || store.isWorldFault(error)) return refuse('server/unavailable', { commandId });
    throw error;
  }

  function done<Value>(answer: Value, isDry = false): OpsDone<Value> {
    return { commandId, isDryRun: isDry, answer };
  }
};

const entriesOf = (order: OpsOrder, hash: string, deed: Deed<unknown>): readonly AuditEntry[] => {
  const { actor, action, target, write } = order;
  const common = { commandId: write.commandId, actor, action, reason: write.reason, hash };
  return [
    { ...common, target, before: deed.before, after: deed.after, answer: deed.answer },
    ...(deed.others ?? []).map((other) => ({ ...common, ...other, answer: undefined })),
  ];
};

/** Runs a read; a world that failed is a refusal as well. */
export const ask = async <Answer>(
  store: Pick<AuditStore, 'isWorldFault'>,
  read: () => Promise<OpsResult<Answer>>,
): Promise<OpsResult<Answer>> => {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof StoreFault) && !store.isWorldFault(error)) throw error;
    const refusal: OpsRefusal = {
      code: 'server/unavailable',
      message: 'the database does not answer: try again',
      params: {},
    };
    return { ok: false, error: refusal };
  }
};
