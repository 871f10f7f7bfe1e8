import type { Modules } from '../../../server/domain/modules.ts';
import { bitsBy } from '../../../server/home/model/draw-bits.ts';
import { StoreFault } from '../../../server/home/model/faults.ts';
import type {
  AnsweredCommand,
  Decide,
  HomeChange,
  HomeRequest,
  HomeStore,
  LoadedHomes,
  Saved,
} from '../../../server/home/model/home-store.ts';
import type { IndexChanges } from '../../../server/timer/model/index-entry.ts';
import type { HomeEvent } from '../../../shared/event.ts';
import { newHome } from '../../../shared/home.ts';
import { homeTimersDiff, type TimerName } from '../../../testing/pets-engine.ts';
import { changeThings } from '../../support/fake-database/thing-timers.ts';
import { type HomeRows, type Session, SessionEnded, type SimDatabase, StatementFailed } from './sim-database.ts';
import type { SimProcess } from './sim-process.ts';
import { type Wire, WireLost } from './wire.ts';

export const SECRET = 'of a world';
export const CHANCE = { bits: bitsBy(SECRET), epoch: 'epoch' };

/** Switches for faults, which exist nowhere but here. */
export type StoreSwitch =
  | 'no locks'
  | 'forgets commands'
  | 'timers apart'
  | 'own clock'
  | 'old rules'
  | 'never ends'
  | 'never moves';

interface Dependencies {
  readonly modules: Modules;
  readonly process: SimProcess;
  readonly database: SimDatabase;
  readonly wire: Wire;
  readonly switched?: StoreSwitch | undefined;
}

/** One process' way to the homes in the simulated database (`HomeStore`), statement by statement as the real one. */
export class SimHomeStore implements HomeStore {
  readonly #modules: Modules;
  readonly #process: SimProcess;
  readonly #database: SimDatabase;
  readonly #wire: Wire;
  readonly #switched: StoreSwitch | undefined;

  constructor({ process, database, wire, switched, modules }: Dependencies) {
    this.#modules = modules;
    this.#switched = switched;
    this.#process = process;
    this.#database = database;
    this.#wire = wire;
  }

  async change<Value>(request: HomeRequest, decide: Decide<Value>): Promise<Saved<Value>> {
    const session = this.#database.begin();
    const end = this.#process.onDeath(() => session.clientGone());
    let isCommitting = false;
    try {
      const loaded = await this.#ask('lock', () => session.statements(() => this.#lockAndLoad(session, request)));
      const { changes, value } = decide(loaded);
      isCommitting = true;
      const save = () => session.statements(() => this.#saveAndCommit(session, changes, loaded));
      return { index: await this.#ask('save', save), value };
    } catch (error) {
      if (error instanceof StatementFailed) throw new StoreFault('failed', error);
      if (error instanceof WireLost || error instanceof SessionEnded) {
        session.clientGone();
        throw new StoreFault(isCommitting ? 'unknown' : 'down', error);
      }
      session.rollBack();
      throw error;
    } finally {
      end();
    }
  }

  changeIn<Value>(): Promise<Saved<Value>> {
    return Promise.reject(new Error('nobody opens transactions of their own here'));
  }

  whole<Result>(_tx: unknown, work: () => Promise<Result>): Promise<Result> {
    return work();
  }

  events(playerId: string, afterSeq: number, limit: number): Promise<readonly HomeEvent[]> {
    return this.#read('events', () => this.#rows(playerId).events.slice(afterSeq, afterSeq + limit));
  }

  newestSeqs(playerIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return this.#read(
      'seqs',
      () =>
        new Map(
          playerIds.flatMap((playerId) => {
            const rows = this.#database.homes.get(playerId);
            return rows ? [[playerId, rows.home.seq] as const] : [];
          }),
        ),
    );
  }

  epoch(): Promise<string> {
    return Promise.resolve('epoch');
  }

  nowMs(): Promise<number> {
    return this.#read('now', () => this.#database.nowMs());
  }

  async #lockAndLoad(session: Session, { playerIds, commands, waits }: HomeRequest): Promise<LoadedHomes> {
    const database = this.#database;
    const own = new Set<string>();
    for (const playerId of [...playerIds].sort()) {
      if (!database.homes.has(playerId)) continue;
      if (this.#switched === 'no locks') own.add(playerId);
      else if (waits) await session.lock(`home ${playerId}`);
      else if (!session.tryLock(`home ${playerId}`)) continue;
      own.add(playerId);
    }
    await session.next();
    const nowMs = this.#switched === 'own clock' ? this.#process.clock.nowMs() : database.nowMs();
    const rules = this.#switched === 'old rules' ? 0 : database.rulesNumber;
    await session.next();
    const seen = new Map(playerIds.map((playerId) => [playerId, this.#rows(playerId).home]));
    await session.next();
    const answered = this.#answered(commands);
    await session.next();
    const free: string[] = [];
    for (const playerId of [...playerIds].sort()) {
      // A player without a row is locked by name; one with a new row is another's.
      const isNew = !own.has(playerId) && !database.homes.has(playerId);
      if (isNew && waits) await session.lock(`new home ${playerId}`);
      else if (isNew && !session.tryLock(`new home ${playerId}`)) continue;
      if (own.has(playerId) || !database.homes.has(playerId)) free.push(playerId);
    }
    return {
      nowMs,
      rules,
      homes: new Map(free.map((playerId) => [playerId, seen.get(playerId) ?? newHome(playerId)])),
      answered,
      chance: CHANCE,
    };
  }

  #answered(commands: HomeRequest['commands']): AnsweredCommand[] {
    return commands.flatMap(({ playerId, commandId }): AnsweredCommand[] => {
      const { commands: known, events } = this.#rows(playerId);
      const record = known.get(commandId);
      if (!record) return [];
      const { hash, fromSeq, answerSeq } = record;
      return [{ playerId, commandId, hash, events: events.slice(fromSeq - 1, answerSeq) }];
    });
  }

  async #saveAndCommit(
    session: Session,
    changes: readonly HomeChange[],
    { nowMs }: LoadedHomes,
  ): Promise<IndexChanges> {
    const database = this.#database;
    const apart = this.#switched === 'timers apart' ? await this.#saveTimersApart(changes, nowMs) : undefined;
    const isLocking = this.#switched !== 'no locks';
    for (const { before } of changes) if (isLocking) await session.lock(`home ${before.playerId}`);
    await session.next();
    for (const { before, after, events, commands } of changes) {
      const rows = this.#rows(before.playerId);
      if (isLocking && events.some(({ seq }) => seq <= rows.home.seq)) throw new StatementFailed('the event exists');
      session.write(() => {
        const known = new Map(rows.commands);
        for (const [fromSeq, record] of this.#switched === 'forgets commands' ? [] : commands) {
          const commandId = events.find(({ seq }) => seq === fromSeq)?.commandId ?? '';
          known.set(commandId, { ...record, fromSeq });
        }
        database.homes.set(before.playerId, {
          home: after,
          events: [...rows.events, ...events],
          commands: known,
          committedAtMs: [...rows.committedAtMs, ...events.map(() => database.nowMs())],
        });
      });
    }
    await session.next();
    const index = apart ?? this.#saveTimers(session, changes, nowMs);
    await session.next();
    session.commit();
    return index;
  }

  async #saveTimersApart(changes: readonly HomeChange[], nowMs: number): Promise<IndexChanges> {
    const session = this.#database.begin();
    const index = this.#saveTimers(session, changes, nowMs);
    session.commit();
    // Long enough for a process to die between the two commits: a retry puts the same rows, and does no harm.
    await this.#database.kernel.pause(20);
    return index;
  }

  #saveTimers(session: Session, changes: readonly HomeChange[], nowMs: number): IndexChanges {
    const diffs = changes.map((change) => homeTimersDiff(this.#modules, change));
    const isNew = ({ kind, subject }: TimerName): boolean =>
      this.#database.timers.find({ kind, subject })?.state !== 'scheduled';
    const put = diffs.flatMap((diff) => (this.#switched === 'never moves' ? diff.put.filter(isNew) : diff.put));
    const end = this.#switched === 'never ends' ? [] : diffs.flatMap((diff) => diff.end);
    return changeThings(session.timers, { put, end }, nowMs);
  }

  #rows(playerId: string): HomeRows {
    const rows = this.#database.homes.get(playerId);
    return rows ?? { home: newHome(playerId), events: [], commands: new Map(), committedAtMs: [] };
  }

  #ask<T>(what: string, apply: () => Promise<T>): Promise<T> {
    return this.#wire.ask(this.#process, what, apply);
  }

  async #read<T>(what: string, apply: () => T): Promise<T> {
    try {
      return await this.#wire.ask(this.#process, what, apply);
    } catch (error) {
      throw new StoreFault('down', error);
    }
  }
}
