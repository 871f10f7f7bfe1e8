import type { PageCursor, RowPage } from '../../../server/timer/model/index-entry.ts';
import { entryOf } from '../../../server/timer/model/index-entry.ts';
import type { Timer } from '../../../server/timer/model/timer.ts';
import type { TimerDeferral, TimerStore, TimersAt, TimerUpdate } from '../../../server/timer/model/timer-store.ts';
import { SessionEnded, type SimDatabase } from './sim-database.ts';
import type { SimProcess } from './sim-process.ts';
import { type Wire, WireLost } from './wire.ts';

interface Dependencies {
  readonly process: SimProcess;
  readonly database: SimDatabase;
  readonly wire: Wire;
}

const notHere = (): Promise<never> => Promise.reject(new Error('there are feedings only'));

/** One process' way to the timer rows, as far as derived kinds need it (`TimerStore`). */
export const simTimerStore = ({ process, database, wire }: Dependencies): TimerStore => {
  const ask = <T>(what: string, apply: () => T | Promise<T>): Promise<T> => wire.ask(process, what, apply);
  return {
    isContention: () => false,
    isWorldFault: (error) => error instanceof WireLost || error instanceof SessionEnded || isStoreFault(error),
    nowMs: () => ask('now', () => database.nowMs()),
    pausedKinds: () => ask('paused', () => new Set<string>()),
    read: (timerIds) =>
      ask('read', (): TimersAt => {
        const timers = timerIds.flatMap((id) => database.timers.get(id) ?? []);
        return { timers: timers.filter(({ state }) => state === 'scheduled'), nowMs: database.nowMs() };
      }),
    readUnchanged: (seen) =>
      ask('read unchanged', (): TimersAt => {
        const isUnchanged = ({ id, revision }: Timer): boolean => {
          const timer = database.timers.get(id);
          return timer?.state === 'scheduled' && timer.revision === revision;
        };
        return { timers: seen.filter(isUnchanged), nowMs: database.nowMs() };
      }),
    // All are feedings.
    overdue: ({ after, beforeMs, limit }) => ask('overdue', () => pageOf({ database, after, limit, beforeMs })),
    page: (after, limit) => ask('page', () => pageOf({ database, after, limit })),
    registerKinds: (kinds) =>
      ask('register kinds', () => {
        for (const { kind } of kinds) database.kinds.add(kind);
      }),
    registeredKinds: () => ask('registered kinds', () => new Set(database.kinds)),
    defer: (deferrals) => ask('defer timers', () => ({ timers: defer(database, deferrals), nowMs: database.nowMs() })),
    save: (updates) => ask('save timers', () => save(database, updates)),
    prune: () => Promise.resolve(0),
    pruneDead: () => Promise.resolve(0),
    retentions: () => Promise.resolve(new Map()),
    pruneCommands: () => Promise.resolve(0),
    listByOwners: (owners) =>
      ask('of owners', () => database.scheduled().filter(({ owner }) => owners.includes(owner))),
    transaction: notHere,
    once: notHere,
    schedule: notHere,
    change: notHere,
    changeByOwner: notHere,
    changeByKind: notHere,
    changeDerived: notHere,
    fire: notHere,
    find: notHere,
    listFailed: notHere,
    setPaused: notHere,
  };
};

const isStoreFault = (error: unknown): boolean => error instanceof Error && error.name === 'StoreFault';

const pageOf = ({ database, after, limit, beforeMs = Number.POSITIVE_INFINITY }: PageQuery): RowPage => {
  const isLater = ({ fireAtMs, id }: Timer): boolean =>
    after === undefined ||
    fireAtMs > after.fireAtMs ||
    (fireAtMs === after.fireAtMs && Number(id) > Number(after.timerId));
  const rows = database.scheduled().filter((timer) => isLater(timer) && timer.fireAtMs <= beforeMs);
  const entries = rows.slice(0, limit).map(entryOf);
  return { entries, next: entries.length < limit ? undefined : entries.at(-1) };
};

interface PageQuery {
  readonly database: SimDatabase;
  readonly after: PageCursor | undefined;
  readonly limit: number;
  readonly beforeMs?: number;
}

/** Its own commit. A row that somebody has locked is left out. */
const defer = (database: SimDatabase, deferrals: readonly TimerDeferral[]): readonly Timer[] => {
  const session = database.begin();
  const nowMs = database.nowMs();
  const deferred = deferrals.flatMap(({ timerId, revision, byMs, claims }) => {
    const timer = database.timers.get(timerId);
    if (timer?.revision !== revision || timer.state !== 'scheduled') return [];
    if (!session.tryLock(`timer ${timer.kind} ${timer.subject}`)) return [];
    const claimed = { claims: timer.claims + claims, claimedAtMs: claims > 0 ? nowMs : undefined };
    return { ...timer, ...claimed, fireAtMs: nowMs + byMs, revision: revision + 1 };
  });
  session.write(() => {
    for (const timer of deferred) database.timers.set(timer.id, timer);
  });
  session.commit();
  return deferred;
};

/** Its own commit. A row that somebody has locked is waited for. */
const save = async (database: SimDatabase, updates: readonly TimerUpdate[]): Promise<readonly Timer[]> => {
  const session = database.begin();
  return session.statements(async () => {
    const saved: Timer[] = [];
    for (const { timerId, revision, ...change } of updates) {
      const seen = database.timers.get(timerId);
      if (!seen) continue;
      await session.lock(`timer ${seen.kind} ${seen.subject}`);
      const timer = database.timers.get(timerId);
      if (timer?.revision !== revision || timer.state !== 'scheduled') continue;
      const after = { ...timer, ...change, lastError: change.lastError, revision: revision + 1 };
      saved.push({ ...after, result: undefined });
      session.write(() => database.timers.set(timerId, { ...after, result: undefined }));
    }
    session.commit();
    return saved;
  });
};
