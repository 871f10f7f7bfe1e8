import type { IndexChanges, PageCursor, RowPage } from '../../../server/timer/model/index-entry.ts';
import { entryOf } from '../../../server/timer/model/index-entry.ts';
import type { RegisteredKind, Timer } from '../../../server/timer/model/timer.ts';
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
  DerivedChanges,
  Excepted,
  FireWork,
  OverdueQuery,
  PruneQuery,
  SeenTimer,
  TimerCommand,
  TimerDeferral,
  TimerStore,
  TimersAt,
  TimerUpdate,
  Tx,
} from '../../../server/timer/model/timer-store.ts';
import { FakeTx } from './fake-tx.ts';
import { RowChanges } from './row-changes.ts';
import { inDueOrder, TimerRows } from './timer-rows.ts';

/**
 * The timer rows in this process (`TimerStore`), for tests. Transactions run one after the other, so a handler must
 * not await a write outside its own transaction.
 */
export class FakeTimerStore implements TimerStore {
  readonly #clockMs: () => number;
  readonly #changes: RowChanges;
  readonly #committed: TimerRows;
  readonly #paused = new Set<string>();
  readonly #kinds = new Map<string, number | undefined>();
  #queue: Promise<unknown> = Promise.resolve();

  constructor(clockMs: () => number, rows = new TimerRows()) {
    this.#clockMs = clockMs;
    this.#committed = rows;
    this.#changes = new RowChanges(clockMs, (kind) => this.#kinds.get(kind) === 0);
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

  change(changes: readonly TimerChange[], derivedKinds: readonly string[], tx?: Tx): Promise<readonly ChangeOutcome[]> {
    return this.#write(tx, (rows) => changes.map((change) => this.#changes.change(rows, change, derivedKinds)));
  }

  changeByOwner({ owners, kinds, ...change }: OwnersChange, except: Excepted, tx?: Tx): Promise<readonly Timer[]> {
    const isMeant = ({ owner, kind }: Timer) => owners.includes(owner) && (kinds?.includes(kind) ?? true);
    return this.#write(tx, (rows) => this.#changeMany(rows, change, others(rows, except).filter(isMeant)));
  }

  changeByKind(wanted: KindsChange, except: Excepted, tx?: Tx): Promise<readonly Timer[]> {
    const { kinds, afterId, limit, ...change } = wanted;
    const isMeant = ({ id, kind }: Timer) => kinds.includes(kind) && Number(id) > Number(afterId);
    return this.#write(tx, (rows) => {
      const meant = others(rows, except).filter(isMeant).sort(byId);
      return this.#changeMany(rows, change, meant.slice(0, limit));
    });
  }

  #changeMany(rows: TimerRows, change: ChangeOfMany, timers: readonly Timer[]): readonly Timer[] {
    return timers.flatMap(({ id }) => {
      const outcome = this.#changes.change(rows, { ...change, target: { timerId: id } }, []);
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

  changeDerived(tx: Tx, { put = [], end = [] }: DerivedChanges): Promise<IndexChanges> {
    return this.#write(tx, (rows) => {
      const scheduledAt = (key: TimerTarget): Timer[] => {
        const timer = rows.find(key);
        return timer?.state === 'scheduled' ? [timer] : [];
      };
      const foreign = put.flatMap((wanted) => scheduledAt(wanted).filter(({ owner }) => owner !== wanted.owner));
      const remove = [...end.flatMap(scheduledAt), ...foreign].map((timer) => {
        rows.delete(timer.id);
        return { ...entryOf(timer), revision: timer.revision + 1 };
      });
      return { put: put.map((wanted) => entryOf(this.#changes.put(rows, wanted))), remove };
    });
  }

  async read(timerIds: readonly string[]): Promise<TimersAt> {
    const timers = timerIds.flatMap((id) => this.#committed.get(id) ?? []);
    return { timers: timers.filter(({ state }) => state === 'scheduled'), nowMs: this.#clockMs() };
  }

  async readUnchanged(seen: readonly Timer[]): Promise<TimersAt> {
    return { timers: stillSeen(this.#committed, seen), nowMs: this.#clockMs() };
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
    return targets.map((target) => this.#committed.find(target));
  }

  async listByOwners(owners: readonly string[]): Promise<readonly Timer[]> {
    return this.#committed.scheduled().filter(({ owner }) => owners.includes(owner));
  }

  async listFailed(state: 'dead' | 'scheduled', kinds: readonly string[], limit: number): Promise<readonly Timer[]> {
    return this.#committed
      .all()
      .filter((timer) => timer.state === state && timer.attempt > 0 && kinds.includes(timer.kind))
      .sort((left, right) => right.updatedAtMs - left.updatedAtMs)
      .slice(0, limit);
  }

  async overdue({ kinds, after, beforeMs, limit }: OverdueQuery): Promise<RowPage> {
    const looked = this.#scheduledAfter(after).filter(({ fireAtMs }) => fireAtMs <= beforeMs);
    const page = looked.slice(0, limit);
    const entries = page.filter(({ kind }) => kinds.includes(kind)).map(entryOf);
    const last = page.at(-1);
    return { entries, next: page.length < limit || last === undefined ? undefined : entryOf(last) };
  }

  async page(after: PageCursor | undefined, limit: number): Promise<RowPage> {
    const entries = this.#scheduledAfter(after).slice(0, limit).map(entryOf);
    return { entries, next: entries.length < limit ? undefined : entries.at(-1) };
  }

  #scheduledAfter(after: PageCursor | undefined): readonly Timer[] {
    return this.#committed
      .scheduled()
      .filter((timer) => after === undefined || inDueOrder(timer, { ...after, id: after.timerId }) > 0);
  }

  prune({ fromMs, beforeMs, kinds, isOfOthers, limit }: PruneQuery): Promise<number> {
    return this.#delete(limit, ({ state, kind, updatedAtMs }) => {
      const isOver = state === 'completed' || state === 'cancelled';
      return isOver && updatedAtMs >= fromMs && updatedAtMs < beforeMs && kinds.includes(kind) !== isOfOthers;
    });
  }

  pruneDead(beforeMs: number, limit: number): Promise<number> {
    return this.#delete(limit, ({ state, updatedAtMs }) => state === 'dead' && updatedAtMs < beforeMs);
  }

  #delete(limit: number, isMeant: (timer: Timer) => boolean): Promise<number> {
    return this.#write(undefined, (rows) => {
      const old = rows.all().filter(isMeant).sort(byChange).slice(0, limit);
      for (const { id } of old) rows.delete(id);
      return old.length;
    });
  }

  async registerKinds(kinds: readonly RegisteredKind[]): Promise<void> {
    for (const { kind, retentionMs } of kinds) this.#kinds.set(kind, retentionMs);
  }

  async registeredKinds(): Promise<ReadonlySet<string>> {
    return new Set(this.#kinds.keys());
  }

  async retentions(): Promise<ReadonlyMap<string, number>> {
    return new Map([...this.#kinds].flatMap(([kind, ms]) => (ms === undefined ? [] : [[kind, ms] as const])));
  }

  async setPaused(kind: string, isPaused: boolean): Promise<void> {
    if (isPaused) this.#paused.add(kind);
    else this.#paused.delete(kind);
  }

  async pausedKinds(): Promise<ReadonlySet<string>> {
    return new Set(this.#paused);
  }

  async #write<T>(tx: Tx | undefined, work: (rows: TimerRows) => T): Promise<T> {
    if (tx instanceof FakeTx) return work(tx.openRows());
    return this.transaction(async (own) => work((own as FakeTx).rows));
  }
}

const others = (rows: TimerRows, { kinds, timerIds = [] }: Excepted): Timer[] =>
  rows.scheduled().filter(({ id, kind }) => !kinds.includes(kind) && !timerIds.includes(id));

const byChange = (left: Timer, right: Timer): number => left.updatedAtMs - right.updatedAtMs;

const byId = (left: Timer, right: Timer): number => Number(left.id) - Number(right.id);

/** The rows that are still scheduled at the revision seen, in the order of their ids. */
const stillSeen = (rows: TimerRows, seen: readonly SeenTimer[]): readonly Timer[] => {
  const at = (id: string, revision: number) => [rows.get(id)].filter((timer) => timer?.revision === revision);
  const found = seen.flatMap(({ id, revision }) => at(id, revision).flatMap((timer) => timer ?? []));
  return found.filter(({ state }) => state === 'scheduled').sort(byId);
};
