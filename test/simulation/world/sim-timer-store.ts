import type { Timer } from '../../../server/timer/model/timer.ts';
import type { ChangeOutcome, TimerChange } from '../../../server/timer/model/timer-changes.ts';
import { HandlerStuck, Locked } from '../../../server/timer/model/timer-errors.ts';
import type {
  FireWork,
  TimerDeferral,
  TimerStore,
  TimersAt,
  TimerUpdate,
  Tx,
} from '../../../server/timer/model/timer-store.ts';
import { causesOf } from '../../../shared/game-code.ts';
import { RowChanges } from '../../support/fake-database/row-changes.ts';
import { LockMissed, type Session, SessionEnded, type SimDatabase } from './sim-database.ts';
import { type Connection, inOneCommit, inTransaction, SimTx } from './sim-tx.ts';
import { WireLost } from './wire.ts';

/** Switches for faults, which exist nowhere but here. */
export type RowSwitch = 'effects apart' | 'ignores transactions';

interface Dependencies extends Connection {
  readonly switched?: RowSwitch | undefined;
}

const notHere = (): Promise<never> => Promise.reject(new Error('no such calls of timers are played'));

/** One process' way to the timer rows of the fake database (`TimerStore`): by a wire, and behind the locks of others. */
export const simTimerStore = ({ switched, ...on }: Dependencies): TimerStore => {
  const { process, database, wire } = on;
  const { store } = database;
  const asked =
    <Input extends unknown[], Output>(what: string, apply: (...input: Input) => Promise<Output>) =>
    (...input: Input): Promise<Output> =>
      wire.ask(process, what, () => apply.apply(store, input));
  /** Without a transaction: its own commit. */
  const within = <T>(what: string, tx: Tx | undefined, work: (session: Session) => Promise<T>): Promise<T> =>
    tx instanceof SimTx && switched !== 'ignores transactions'
      ? tx.ask(what, work)
      : wire.ask(process, what, () => inOneCommit(database, work));
  return {
    isContention: (error) => someCause(error, (cause) => cause instanceof LockMissed),
    isWorldFault: (error) => someCause(error, isOfWorld),
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
    schedule: (timers, tx) =>
      within('schedule timers', tx, async (session) => {
        // Like an insert with a unique key: waits for another transaction with this key, also in a handler.
        for (const wanted of timers) await session.lock(lockOf(wanted));
        return timers.map((wanted) => changesIn(database).schedule(session.timers, wanted));
      }),
    change: (changes, tx) =>
      within('change timers', tx, async (session) => {
        const isPatient = tx?.waitsForLocks !== false;
        const outcomes: ChangeOutcome[] = [];
        for (const change of changes) outcomes.push(await changeOne(database, session, { change, isPatient }));
        return outcomes;
      }),
    changeByOwner: notHere,
    changeByKind: notHere,
    defer: (deferrals) =>
      wire.ask(process, 'defer timers', () => ({ timers: defer(database, deferrals), nowMs: database.nowMs() })),
    save: (updates) =>
      wire.ask(process, 'save timers', () => inOneCommit(database, (session) => save(database, session, updates))),
    transaction: (work) =>
      inTransaction(on, async (tx) => work(tx, await tx.ask('begin', async () => database.nowMs()))),
    once: notHere,
    fire: (seen, work) => fire({ ...on, switched }, seen, work),
  };
};

const someCause = (error: unknown, is: (cause: unknown) => boolean): boolean => causesOf(error).some(is);

const isOfWorld = (error: unknown): boolean =>
  error instanceof WireLost || error instanceof SessionEnded || error instanceof LockMissed || isStoreFault(error);

const isStoreFault = (error: unknown): boolean => error instanceof Error && error.name === 'StoreFault';

const lockOf = ({ kind, subject }: Pick<Timer, 'kind' | 'subject'>): string => `timer ${kind} ${subject}`;
const changesIn = (database: SimDatabase): RowChanges =>
  new RowChanges(
    () => database.nowMs(),
    () => false,
  );

interface OneChange {
  readonly change: TimerChange;
  /** Waits for a lock of another transaction. */
  readonly isPatient: boolean;
}

const changeOne = async (
  database: SimDatabase,
  session: Session,
  { change, isPatient }: OneChange,
): Promise<ChangeOutcome> => {
  const seen = session.timers.find(change.target);
  if (seen && isPatient) await session.lock(lockOf(seen));
  else if (seen && !session.tryLock(lockOf(seen))) throw new Locked('a timer is locked by another transaction');
  return changesIn(database).change(session.timers, change);
};

/** Lock, work, save and commit. Leaves out rows that have changed, or that another transaction has locked. */
const fire = async ({ switched, ...on }: Dependencies, seen: readonly Timer[], work: FireWork): Promise<TimersAt> => {
  const { database } = on;
  const tx = new SimTx(on, { waitsForLocks: false, isGameApart: switched === 'effects apart' });
  const isSame = ({ id, revision }: Timer): boolean => {
    const row = database.timers.get(id);
    return row?.state === 'scheduled' && row.revision === revision;
  };
  const lock = async (session: Session): Promise<TimersAt> => {
    const free = seen.filter((timer) => isSame(timer) && session.tryLock(lockOf(timer)));
    return { timers: free.toSorted((left, right) => Number(left.id) - Number(right.id)), nowMs: database.nowMs() };
  };
  try {
    const locked = await tx.ask('lock timers', lock);
    const updates = await work(tx, locked).finally(() => tx.end());
    await tx.commit('save timers', (session) => save(database, session, updates));
    return locked;
  } catch (error) {
    tx.rollBack();
    throw tx.wasIdle ? new HandlerStuck('the transaction was idle for too long') : error;
  }
};

/** Its own commit. Leaves out rows that another transaction has locked. */
const defer = (database: SimDatabase, deferrals: readonly TimerDeferral[]): readonly Timer[] => {
  const session = database.begin();
  const deferred = deferrals.flatMap((deferral) => {
    const seen = database.timers.get(deferral.timerId);
    return seen && session.tryLock(lockOf(seen)) ? changesIn(database).defer(session.timers, deferral) : [];
  });
  session.commit();
  return deferred;
};

/** Waits for rows that another transaction has locked. */
const save = async (
  database: SimDatabase,
  session: Session,
  updates: readonly TimerUpdate[],
): Promise<readonly Timer[]> => {
  const saved: Timer[] = [];
  for (const update of updates) {
    const seen = database.timers.get(update.timerId);
    if (!seen) continue;
    await session.lock(lockOf(seen));
    saved.push(...changesIn(database).save(session.timers, [update]));
  }
  return saved;
};
