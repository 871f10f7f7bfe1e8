import type { Home } from '../../../shared/home.ts';
import type { OpsWrite } from '../../../shared/ops/acts.ts';
import type { OpsDone } from '../../../shared/ops/ops-answers.ts';
import type { OpsAudit } from '../../../shared/ops/ops-timer.ts';
import { ok } from '../../../shared/result.ts';
import { runOf, thingDueAt } from '../../domain/due-of.ts';
import { unlessFault } from '../../domain/module-fault.ts';
import type { Modules } from '../../domain/modules.ts';
import { HostFault, rejectionOf, StoreFault } from '../../home/model/faults.ts';
import { commandHash } from '../../home/model/home-store.ts';
import type { Tx } from '../../timer/model/timer-store.ts';
import { type OpsResult, opsRefusal } from './ops-call.ts';

/** One act of an operator on one target. */
export interface AuditEntry {
  readonly commandId: string;
  /** `player:<id>`, `timer:<id>`, `job:<id>`, `index`, `timers:<kind>`. */
  readonly target: string;
  readonly actor: string;
  readonly action: string;
  readonly reason: string;
  /** The target before and after, limited to the touched parts. */
  readonly before: unknown;
  readonly after: unknown;
  /** The hash of the command's body. */
  readonly hash: string;
  readonly answer: unknown;
}

export interface EarlierCommand {
  readonly hash: string;
  readonly answer: unknown;
}

/** The record of operators' acts, written in the transaction of the change. Errors of the driver are thrown unchanged. */
export interface AuditStore {
  /**
   * Commits when `work` returns; rolls back and rethrows when it throws. `idleMs`: how long the work may send nothing on
   * `tx`. Default: as a command.
   */
  transaction<Answer>(work: (tx: Tx) => Promise<Answer>, idleMs?: number): Promise<Answer>;
  /** The earlier act of this command on this target. Until the transaction ends no other transaction can do it. */
  earlier(tx: Tx, commandId: string, target: string): Promise<EarlierCommand | undefined>;
  /** Adds entries, and returns how many; existing ones, with the same `(commandId, target)`, stay unchanged. */
  add(tx: Tx, entries: readonly AuditEntry[]): Promise<number>;
  /** Newest first; `before` is the last id of the previous page. */
  page(target: string | undefined, before: string | undefined, limit: number): Promise<readonly OpsAudit[]>;
  /** Those of the players whose homes were merged into others and not opened again since. */
  mergedAway(tx: Tx, playerIds: readonly string[]): Promise<ReadonlySet<string>>;
  isWorldFault(error: unknown): boolean;
}

export const playerTarget = (playerId: string): string => `player:${playerId}`;
export const timerTarget = (timerId: string): string => `timer:${timerId}`;
export const jobTarget = (jobId: string): string => `job:${jobId}`;

/** An operator's order. `body` is everything in the command that counts. */
export interface OpsOrder {
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  readonly write: OpsWrite;
  readonly body: object;
  /** How long the act may work elsewhere than in its transaction. Only for an act that locks nothing. */
  readonly idleMs?: number;
}

/** The outcome of the work inside the transaction. */
export interface Deed<Answer, Aside = undefined> {
  readonly before: unknown;
  readonly after: unknown;
  readonly answer: Answer;
  /** Returned with the result but not stored: a repeated command does not get it. */
  readonly aside?: Aside;
  /** Entries for other targets of the same command. */
  readonly others?: readonly Pick<AuditEntry, 'target' | 'before' | 'after'>[];
  /** Publishes to followers and index. */
  readonly afterCommit?: () => unknown;
}

export interface Performed<Answer, Aside> extends OpsDone<Answer> {
  readonly aside?: Aside;
}

/** Rolls back a transaction that must leave nothing. */
class Abandoned extends Error {
  readonly result: OpsResult<never> | { readonly ok: true; readonly value: unknown };

  constructor(result: Abandoned['result']) {
    super('abandoned');
    this.result = result;
  }
}

/**
 * The one way in which operators change anything: change and audit in one transaction, once for each `(commandId,
 * target)`. A repetition returns the first result; with another body it is `command/reused`, and so is a command that
 * another act used on one of the other targets. A dry run does everything and rolls back. A refusal leaves nothing.
 */
export const perform = async <Answer, Aside = undefined>(
  store: AuditStore,
  order: OpsOrder,
  act: (tx: Tx) => Promise<OpsResult<Deed<Answer, Aside>>>,
): Promise<OpsResult<Performed<Answer, Aside>>> => {
  const { commandId } = order.write;
  try {
    const deed = await store.transaction((tx) => performIn(tx, { store, order, act }), order.idleMs);
    await deed.afterCommit?.();
    return ok(performed(order, deed));
  } catch (error) {
    if (error instanceof Abandoned) return error.result as OpsResult<Performed<Answer, Aside>>;
    return refusalOf(store, error, commandId);
  }
};

interface Performing<Answer, Aside> {
  readonly store: AuditStore;
  readonly order: OpsOrder;
  readonly act: (tx: Tx) => Promise<OpsResult<Deed<Answer, Aside>>>;
}

const performIn = async <Answer, Aside>(
  tx: Tx,
  { store, order, act }: Performing<Answer, Aside>,
): Promise<Deed<Answer, Aside>> => {
  const { commandId, dryRun: isDryRun = false, reason } = order.write;
  const hash = commandHash({ action: order.action, reason, ...order.body });
  const earlier = await store.earlier(tx, commandId, order.target);
  if (earlier && earlier.hash !== hash) throw reused(commandId);
  if (earlier) throw new Abandoned(ok({ commandId, isDryRun: false, answer: earlier.answer }));
  const deed = await act(tx);
  if (!deed.ok) throw new Abandoned(deed);
  const entries = entriesOf(order, hash, deed.value);
  // No change without its entry: another act of this command may have one of the other targets.
  if ((await store.add(tx, entries)) < entries.length) throw reused(commandId);
  if (isDryRun) throw new Abandoned(ok({ ...performed(order, deed.value), isDryRun }));
  return deed.value;
};

const reused = (commandId: string): Abandoned => new Abandoned(opsRefusal('command/reused', { commandId }));

const performed = <Answer, Aside>(
  { write: { commandId } }: OpsOrder,
  { answer, aside }: Deed<Answer, Aside>,
): Performed<Answer, Aside> => ({ commandId, isDryRun: false, answer, ...(aside === undefined ? {} : { aside }) });

const entriesOf = (order: OpsOrder, hash: string, deed: Deed<unknown, unknown>): readonly AuditEntry[] => {
  const { actor, action, target, write } = order;
  const common = { commandId: write.commandId, actor, action, reason: write.reason, hash };
  return [
    { ...common, target, before: deed.before, after: deed.after, answer: deed.answer },
    ...(deed.others ?? []).map((other) => ({ ...common, ...other, answer: undefined })),
  ];
};

type Faults = Pick<AuditStore, 'isWorldFault'>;

/** Runs an act; a fault of the world becomes a refusal, also beside `perform`. `commandId`: of a write. */
export const actOrRefuse = async <Answer>(
  store: Faults,
  act: () => Promise<OpsResult<Answer>>,
  commandId: string | undefined,
): Promise<OpsResult<Answer>> => {
  try {
    return await act();
  } catch (error) {
    return refusalOf(store, error, commandId);
  }
};

/** Throws an error that is neither the world's nor that of a game's code. */
const refusalOf = (store: Faults, error: unknown, commandId: string | undefined): OpsResult<never> => {
  const { code, params } = rejectionOf(error);
  if (code !== 'server/unavailable') return opsRefusal(code, params);
  if (!isOfWorld(store, error)) throw error;
  if (commandId !== undefined) return opsRefusal(code, { commandId });
  return { ok: false, error: { code, message: 'the database does not answer: try again', params: {} } };
};

const isOfWorld = (store: Faults, error: unknown): boolean =>
  error instanceof StoreFault || (error instanceof HostFault && error.retryable) || store.isWorldFault(error);

/** A home as the audit stores it: the parts that an operator can change. */
export const summaryOf = (modules: Modules, { playerId, seq, items, things, frozenAtMs }: Home) => ({
  seq,
  items,
  things: modules.all.flatMap((module) =>
    Object.entries(things[module.name] ?? {}).map(([id, thing]) => {
      const due = unlessFault(() => {
        const dueAtMs = thingDueAt(module, id, thing);
        return dueAtMs === undefined ? undefined : { run: runOf(module, playerId, { id, thing }), dueAtMs };
      });
      return { module: module.name, thing: id, ...due };
    }),
  ),
  ...(frozenAtMs === undefined ? {} : { frozenAtMs }),
});
