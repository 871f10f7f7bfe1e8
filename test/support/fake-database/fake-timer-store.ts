import type {
  IndexChanges,
  PageCursor,
  Pruned,
  PruneQuery,
  RowPage,
  TimerRef,
} from '../../../server/timer/model/index-entry.ts';
import { entryOf } from '../../../server/timer/model/index-entry.ts';
import { isOfThing, type Timer } from '../../../server/timer/model/timer.ts';
import type {
  ChangeOfMany,
  ChangeOutcome,
  KindsChange,
  OwnersChange,
  ScheduleOutcome,
  ScheduleRequest,
  TimerChange,
  TimerTarget,
} from '../../../server/timer/model/timer-changes.ts';
import type {
  FireWork,
  HomeHold,
  OverdueQuery,
  SeenTimer,
  TimerCommand,
  TimerDeferral,
  TimerStore,
  TimersAt,
  TimerUpdate,
  Tx,
} from '../../../server/timer/model/timer-store.ts';
import { FakeKindStore } from './fake-kind-store.ts';
import { FakeTx } from './fake-tx.ts';
import { RowChanges } from './row-changes.ts';
import { changeThings, FakeHolds, type ThingTimers } from './thing-timers.ts';
import { inDueOrder, TimerRows } from './timer-rows.ts';

/**
 * The timer rows in this process (`TimerStore`), for tests. Transactions run one after the other, so a handler must
 * not await a write outside its own transaction.
 */
export class FakeTimerStore extends FakeKindStore implements TimerStore {
  readonly #clockMs: () => number;
  readonly #changes: RowChanges;
  readonly #committed: TimerRows;
  readonly #holds: FakeHolds;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(clockMs: () => number, rows = new TimerRows()) {
    super(rows);
    this.#clockMs = clockMs;
    this.#committed = rows;
    this.#holds = new FakeHolds(clockMs);
    this.#changes = new RowChanges(clockMs, (kind) => this.isForgotten(kind));
  }

  transaction<T>(work: (tx: Tx, nowMs: number) => Promise<T>): Promise<T> {
    const run = async (): Promise<T> => {
      const tx = new FakeTx(this.#committed.fork());
      const result = await work(tx, this.#clockMs());
      tx.rows.commit();
      return result;
    };
    const running = this.#queue.then(run, run);
    this.#queue = running;
    return running;
  }

  isWorldFault(): boolean {
    return false;
  }

  isContention(): boolean {
    return false;
  }

  async nowMs(): Promise<number> {
    return this.#clockMs();
  }

  schedule(timers: readonly ScheduleRequest[], tx?: Tx): Promise<readonly ScheduleOutcome[]> {
    return this.#write(tx, (rows) => timers.map((wanted) => this.#changes.schedule(rows, wanted)));
  }

  change(changes: readonly TimerChange[], tx?: Tx): Promise<readonly ChangeOutcome[]> {
    return this.#write(tx, (rows) => changes.map((change) => this.#changes.change(rows, change)));
  }

  changeByOwner(
    { owners, kinds, ...change }: OwnersChange,
    exceptIds: readonly string[],
    tx?: Tx,
  ): Promise<readonly Timer[]> {
    const isMeant = ({ owner, kind }: Timer) => owners.includes(owner) && (kinds?.includes(kind) ?? true);
    return this.#write(tx, (rows) => this.#changeMany(rows, change, others(rows, exceptIds).filter(isMeant)));
  }

  changeByKind(wanted: KindsChange, exceptIds: readonly string[], tx?: Tx): Promise<readonly Timer[]> {
    const { kinds, afterId, limit, ...change } = wanted;
    const isMeant = ({ id, kind }: Timer) => kinds.includes(kind) && Number(id) > Number(afterId);
    return this.#write(tx, (rows) => {
      const meant = others(rows, exceptIds).filter(isMeant).sort(byId);
      return this.#changeMany(rows, change, meant.slice(0, limit));
    });
  }

  #changeMany(rows: TimerRows, change: ChangeOfMany, timers: readonly Timer[]): readonly Timer[] {
    return timers.flatMap(({ id }) => {
      const outcome = this.#changes.change(rows, { ...change, target: { timerId: id } });
      return outcome.outcome === 'applied' ? outcome.timer : [];
    });
  }

  async once<T>({ id, body }: TimerCommand, work: () => Promise<T>, tx: Tx): Promise<T | undefined> {
    const done = await this.#write(tx, (rows) => rows.command(id));
    if (done !== undefined) return done.body === JSON.stringify(body) ? JSON.parse(done.answer) : undefined;
    const answer = await work();
    const command = { body: JSON.stringify(body), answer: JSON.stringify(answer), atMs: this.#clockMs() };
    await this.#write(tx, (rows) => rows.setCommand(id, command));
    return answer;
  }

  pruneCommands(beforeMs: number, limit: number): Promise<number> {
    return this.#write(undefined, (rows) => {
      const old = rows
        .commands()
        .filter(([, { atMs }]) => atMs < beforeMs)
        .slice(0, limit);
      for (const [id] of old) rows.setCommand(id, undefined);
      return old.length;
    });
  }

  /** For tests: what the homes do to the timers of their things. */
  changeThings(changes: ThingTimers, tx?: Tx): Promise<IndexChanges> {
    return this.#write(tx, (rows) => changeThings(rows, changes, this.#clockMs()));
  }

  async read(refs: readonly TimerRef[]): Promise<TimersAt> {
    const timers = refs.flatMap(({ timerId, owner }) => {
      const timer = this.#committed.get(timerId);
      if (timer?.state !== 'scheduled' || !this.isInUse(timer)) return [];
      // A hold is for the sweeper alone.
      return isOfThing(timerId)
        ? [{ ...this.#holds.held(timer), fireAtMs: timer.fireAtMs }].filter((one) => one.owner === owner)
        : timer;
    });
    return { timers, nowMs: this.#clockMs() };
  }

  async stillDue(seen: readonly Timer[]): Promise<TimersAt> {
    const still = new Set(stillSeen(this.#committed, seen).map(({ id, owner }) => `${owner} ${id}`));
    return { timers: seen.filter(({ id, owner }) => still.has(`${owner} ${id}`)), nowMs: this.#clockMs() };
  }

  async hold(holds: readonly HomeHold[]): Promise<void> {
    const known = new Set(this.#committed.all().flatMap(({ id, owner }) => (isOfThing(id) ? owner : [])));
    this.#holds.hold(holds.filter(({ owner }) => known.has(owner)));
  }

  async release(owners: readonly string[]): Promise<void> {
    this.#holds.release(owners);
  }

  fire(seen: readonly Timer[], work: FireWork): Promise<TimersAt> {
    return this.transaction(async (tx) => {
      const locked = { timers: await this.#write(tx, (rows) => stillSeen(rows, seen)), nowMs: this.#clockMs() };
      const lent = new FakeTx((tx as FakeTx).rows);
      const updates = await work(lent, locked).finally(() => lent.end());
      await this.#write(tx, (rows) => this.#changes.save(rows, updates));
      return locked;
    });
  }

  defer(deferrals: readonly TimerDeferral[]): Promise<TimersAt> {
    return this.#write(undefined, (rows) => {
      const nowMs = this.#clockMs();
      return { timers: deferrals.flatMap((deferral) => this.#changes.defer(rows, deferral)), nowMs };
    });
  }

  save(updates: readonly TimerUpdate[]): Promise<readonly Timer[]> {
    return this.#write(undefined, (rows) => this.#changes.save(rows, updates));
  }

  async find(targets: readonly TimerTarget[]): Promise<readonly (Timer | undefined)[]> {
    return targets.map((target) => {
      const timer = this.#committed.find(target);
      const isNone = timer && isOfThing(timer.id) && (timer.state !== 'scheduled' || !this.isInUse(timer));
      return timer && !isNone ? this.#holds.held(timer) : undefined;
    });
  }

  async listByOwners(owners: readonly string[]): Promise<readonly Timer[]> {
    const timers = this.#scheduled().map((timer) => this.#holds.held(timer));
    return timers.filter(({ owner }) => owners.includes(owner)).sort(inDueOrder);
  }

  async listDead(kinds: readonly string[], limit: number): Promise<readonly Timer[]> {
    return this.#committed
      .all()
      .filter((timer) => timer.state === 'dead' && timer.attempt > 0 && kinds.includes(timer.kind))
      .sort((left, right) => right.updatedAtMs - left.updatedAtMs)
      .slice(0, limit);
  }

  async listStuck(limit: number): Promise<readonly Timer[]> {
    return this.#scheduled()
      .filter(({ id }) => isOfThing(id))
      .map((timer) => this.#holds.held(timer))
      .filter(({ attempt }) => attempt > 0)
      .sort((left, right) => right.updatedAtMs - left.updatedAtMs)
      .slice(0, limit);
  }

  async overdue({ kinds, after, beforeMs, limit }: OverdueQuery): Promise<RowPage> {
    const looked = this.#scheduledAfter(after).filter(({ fireAtMs }) => fireAtMs <= beforeMs);
    const page = looked.slice(0, limit);
    const entries = page
      .map((timer) => this.#holds.held(timer))
      .filter(({ kind, fireAtMs }) => kinds.includes(kind) && fireAtMs <= beforeMs)
      .map(entryOf);
    const last = page.at(-1);
    return { entries, next: page.length < limit || last === undefined ? undefined : entryOf(last) };
  }

  async page(after: PageCursor | undefined, limit: number): Promise<RowPage> {
    const entries = this.#scheduledAfter(after).slice(0, limit).map(entryOf);
    return { entries, next: entries.length < limit ? undefined : entries.at(-1) };
  }

  #scheduled(): readonly Timer[] {
    return this.#committed.scheduled().filter((timer) => this.isInUse(timer));
  }

  #scheduledAfter(after: PageCursor | undefined): readonly Timer[] {
    return this.#scheduled().filter(
      (timer) => after === undefined || inDueOrder(timer, { ...after, id: after.timerId }) > 0,
    );
  }

  async prune({ fromMs, beforeMs, kinds, isOfOthers, limit, most }: PruneQuery): Promise<Pruned> {
    const isOver = ({ id, state, updatedAtMs }: Timer): boolean =>
      !isOfThing(id) && /completed|cancelled/.test(state) && updatedAtMs >= fromMs && updatedAtMs < beforeMs;
    const last = this.#committed.all().filter(isOver).sort(byChange)[most - 1];
    const readToMs = last ? last.updatedAtMs + 1 : beforeMs;
    const isMeant = (timer: Timer): boolean =>
      isOver(timer) && timer.updatedAtMs < readToMs && kinds.includes(timer.kind) !== isOfOthers;
    return { count: await this.#delete(limit, isMeant), readToMs };
  }

  pruneDead(beforeMs: number, limit: number): Promise<number> {
    return this.#delete(limit, ({ state, updatedAtMs }) => state === 'dead' && updatedAtMs < beforeMs);
  }

  #delete(limit: number, isMeant: (timer: Timer) => boolean): Promise<number> {
    return this.#write(undefined, (rows) => {
      const isOwn = ({ id }: Timer): boolean => !isOfThing(id);
      const old = rows.all().filter(isOwn).filter(isMeant).sort(byChange).slice(0, limit);
      for (const { id } of old) rows.delete(id);
      return old.length;
    });
  }

  async #write<T>(tx: Tx | undefined, work: (rows: TimerRows) => T): Promise<T> {
    if (tx instanceof FakeTx) return work(tx.openRows());
    return this.transaction(async (own) => work((own as FakeTx).rows));
  }
}

const others = (rows: TimerRows, exceptIds: readonly string[]): Timer[] =>
  rows.scheduled().filter(({ id }) => !isOfThing(id) && !exceptIds.includes(id));

const byChange = (left: Timer, right: Timer): number => left.updatedAtMs - right.updatedAtMs;

const byId = (left: Timer, right: Timer): number => Number(left.id) - Number(right.id);

/** The rows that are still scheduled at the revision seen, in the order of their ids. */
const stillSeen = (rows: TimerRows, seen: readonly SeenTimer[]): readonly Timer[] => {
  const at = (id: string, revision: number) => [rows.get(id)].filter((timer) => timer?.revision === revision);
  const found = seen.flatMap(({ id, revision }) => at(id, revision).flatMap((timer) => timer ?? []));
  return found.filter(({ state }) => state === 'scheduled').sort(byId);
};
