import type { Timer } from '../../../server/timer/model/timer.ts';
import type { TimerDeferral, TimerStore, TimerUpdate } from '../../../server/timer/model/timer-store.ts';
import { RowChanges } from '../../support/fake-database/row-changes.ts';
import { SessionEnded, type SimDatabase } from './sim-database.ts';
import type { SimProcess } from './sim-process.ts';
import { type Wire, WireLost } from './wire.ts';

interface Dependencies {
  readonly process: SimProcess;
  readonly database: SimDatabase;
  readonly wire: Wire;
}

const notHere = (): Promise<never> => Promise.reject(new Error('no transactions of timers are played'));

/** One process' way to the timer rows of the fake database (`TimerStore`): by a wire, and behind the locks of others. */
export const simTimerStore = ({ process, database, wire }: Dependencies): TimerStore => {
  const { store } = database;
  const asked =
    <Input extends unknown[], Output>(what: string, apply: (...input: Input) => Promise<Output>) =>
    (...input: Input): Promise<Output> =>
      wire.ask(process, what, () => apply.apply(store, input));
  return {
    isContention: () => false,
    isWorldFault: (error) => error instanceof WireLost || error instanceof SessionEnded || isStoreFault(error),
    nowMs: asked('now', store.nowMs),
    pausedKinds: asked('paused', store.pausedKinds),
    setPaused: asked('pause', store.setPaused),
    read: asked('read', store.read),
    stillDue: asked('still due', store.stillDue),
    hold: asked('hold', store.hold),
    release: asked('release', store.release),
    overdue: asked('overdue', store.overdue),
    page: asked('page', store.page),
    registerKinds: asked('register kinds', store.registerKinds),
    registeredKinds: asked('registered kinds', store.registeredKinds),
    retentions: asked('retentions', store.retentions),
    listByOwners: asked('of owners', store.listByOwners),
    listDead: asked('dead', store.listDead),
    listStuck: asked('stuck', store.listStuck),
    find: asked('find', store.find),
    prune: asked('prune', store.prune),
    pruneDead: asked('prune dead', store.pruneDead),
    pruneCommands: asked('prune commands', store.pruneCommands),
    schedule: asked('schedule', store.schedule),
    change: asked('change', store.change),
    changeByOwner: asked('change by owner', store.changeByOwner),
    changeByKind: asked('change by kind', store.changeByKind),
    defer: (deferrals) =>
      wire.ask(process, 'defer timers', () => ({ timers: defer(database, deferrals), nowMs: database.nowMs() })),
    save: (updates) => wire.ask(process, 'save timers', () => save(database, updates)),
    transaction: notHere,
    once: notHere,
    fire: notHere,
  };
};

const isStoreFault = (error: unknown): boolean => error instanceof Error && error.name === 'StoreFault';

const lockOf = ({ kind, subject }: Timer): string => `timer ${kind} ${subject}`;
const changesIn = (database: SimDatabase): RowChanges =>
  new RowChanges(
    () => database.nowMs(),
    () => false,
  );

/** Its own commit. A row that somebody has locked is left out. */
const defer = (database: SimDatabase, deferrals: readonly TimerDeferral[]): readonly Timer[] => {
  const session = database.begin();
  const deferred = deferrals.flatMap((deferral) => {
    const seen = database.timers.get(deferral.timerId);
    return seen && session.tryLock(lockOf(seen)) ? changesIn(database).defer(session.timers, deferral) : [];
  });
  session.commit();
  return deferred;
};

/** Its own commit. A row that somebody has locked is waited for. */
const save = async (database: SimDatabase, updates: readonly TimerUpdate[]): Promise<readonly Timer[]> => {
  const session = database.begin();
  return session.statements(async () => {
    const saved: Timer[] = [];
    for (const update of updates) {
      const seen = database.timers.get(update.timerId);
      if (!seen) continue;
      await session.lock(lockOf(seen));
      saved.push(...changesIn(database).save(session.timers, [update]));
    }
    session.commit();
    return saved;
  });
};
