import type { EventsMessage, Reply } from '../../../shared/protocol.ts';
import type { Chance } from './chance.ts';
import { chooseCommand, type Wish } from './choose-command.ts';
import { type Asked, Connection } from './connection.ts';
import type { LoadWorld } from './load-world.ts';
import type { Client } from './sdk.ts';

/** A server that does not let a player in for so long is asked again: an SDK without an answer waits for ever. */
const JOIN_MS = 15_000;
const LOOK_MS = 250;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;
/** Not all who lost one server come back at one moment. */
const SPREAD_MS = 500;

/**
 * A guest on one device that gives one command after the other, and comes back by itself whatever ends the connection:
 * it joins again, and sends again with the same id what has no answer. One that has used up everything is followed by a
 * new guest.
 */
export class LoadPlayer {
  readonly #world: LoadWorld;
  readonly #chance: Chance;
  readonly #onFree: () => void;
  #client: Client;
  #connection: Connection | undefined;
  #connecting: Promise<Connection | undefined> | undefined;
  #seen: number | undefined;
  /** By the server's clock: what was due before is told late because nobody was here. */
  #hereSinceMs = Number.POSITIVE_INFINITY;

  /** `onFree` is called when the player is in, and after each command. */
  constructor(world: LoadWorld, chance: Chance, onFree: () => void) {
    this.#world = world;
    this.#chance = chance;
    this.#onFree = onFree;
    this.#client = world.newClient();
  }

  /** Ends when the player is in, or the run is over. Never throws. */
  async enter(): Promise<void> {
    if (await this.#connected()) this.#onFree();
  }

  /** Gives one command, which was due at `dueAtMs` of the steady clock. Ends with its answer. Never throws. */
  async play(dueAtMs: number): Promise<void> {
    const wish = await this.#wish();
    if (wish) await this.#sendUntilAnswered(wish, dueAtMs);
    if (!this.#world.isOver()) this.#onFree();
  }

  /** Measures how the server's clock differs from ours. */
  async askTime(): Promise<void> {
    const { monotonicMs, serverTime } = this.#world;
    const sentAtMs = monotonicMs();
    const asked = await this.#connection?.time();
    if (asked?.kind === 'accepted') serverTime.add(sentAtMs, monotonicMs(), asked.value.nowMs);
  }

  leave(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    connection?.leave();
  }

  async #wish(): Promise<Wish | undefined> {
    const connection = await this.#connected();
    const wish = connection && chooseCommand(connection.home, this.#world.rules, this.#chance);
    if (wish || !connection) return wish;
    this.#world.measures.successors += 1;
    this.leave();
    this.#client = this.#world.newClient();
    this.#seen = undefined;
    const next = await this.#connected();
    return next && chooseCommand(next.home, this.#world.rules, this.#chance);
  }

  async #sendUntilAnswered({ type, payload }: Wish, dueAtMs: number): Promise<void> {
    const { measures, monotonicMs, isMeasuring, isOver, pause, nextCommandId } = this.#world;
    const message = { ...payload, commandId: nextCommandId() };
    const sentAtMs = monotonicMs();
    const counts = isMeasuring();
    measures.sent += 1;
    measures.asked.add(type);
    for (let waitMs = FIRST_PAUSE_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_PAUSE_MS)) {
      const connection = await this.#connected();
      if (!connection) return;
      const asked = await connection.command(type, message);
      this.#count(asked);
      if (isFinal(asked)) {
        measures.finished += 1;
        if (!counts) return;
        measures.commands.add(monotonicMs() - dueAtMs);
        measures.answers.add(monotonicMs() - sentAtMs);
        return;
      }
      if (asked.kind === 'unknown' && asked.why === 'no answer') this.#lose(connection);
      if (isOver()) return;
      await pause(Math.max(this.#chance.next() * waitMs, askedToWaitMs(asked)));
    }
  }

  #count(asked: Asked<Reply>): void {
    const { measures } = this.#world;
    if (asked.kind === 'accepted') {
      measures.accepted += 1;
      this.#see(asked.value.events);
    } else if (asked.kind === 'rejected') measures.refused.add(asked.rejection.code);
    else measures.unanswered.add(asked.why);
  }

  /** The connection there is, or a new one; undefined: the run is over. */
  #connected(): Promise<Connection | undefined> {
    if (this.#connection) return Promise.resolve(this.#connection);
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #connect(): Promise<Connection | undefined> {
    const { isOver, pause, measures } = this.#world;
    for (let waitMs = FIRST_PAUSE_MS; !isOver(); waitMs = Math.min(waitMs * 2, LONGEST_PAUSE_MS)) {
      try {
        const connection = await this.#join();
        if (connection) return connection;
      } catch (error) {
        measures.failedJoins.add(codeOf(error));
      }
      await pause(this.#chance.next() * waitMs);
    }
    return undefined;
  }

  async #join(): Promise<Connection | undefined> {
    const { monotonicMs, measures, serverTime, isOver, pause } = this.#world;
    const startedAtMs = monotonicMs();
    const opening = this.#open();
    // Short pauses: none of them may keep a process that has nothing else to do.
    const inTime = async (): Promise<Connection | undefined> => {
      const found = await Promise.race([opening, pause(LOOK_MS).then(() => undefined)]);
      return found || isOver() || monotonicMs() > startedAtMs + JOIN_MS ? found : inTime();
    };
    const connection = await inTime();
    if (!connection) {
      // Nobody's by the time it opens.
      opening.then((late) => late.drop()).catch(() => undefined);
      if (!isOver()) measures.failedJoins.add('no answer');
      return undefined;
    }
    const nowMs = monotonicMs();
    measures.joins.add(nowMs - startedAtMs);
    this.#connection = connection;
    await this.askTime();
    this.#hereSinceMs = serverTime.at(nowMs) ?? Number.POSITIVE_INFINITY;
    return this.#connection;
  }

  async #open(): Promise<Connection> {
    const client = this.#client;
    if (!client.auth.token) await client.auth.signInAnonymously();
    const connection: Connection = await Connection.open({
      client,
      afterSeq: this.#seen,
      onEvents: (events) => this.#hear(events),
      onLost: () => this.#lose(connection),
    });
    return connection;
  }

  #lose(connection: Connection): void {
    connection.drop();
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    if (this.#world.isOver()) return;
    this.#world.measures.comebacks += 1;
    const { pause } = this.#world;
    this.#connecting ??= pause(this.#chance.next() * SPREAD_MS)
      .then(() => this.#connect())
      .finally(() => {
        this.#connecting = undefined;
      });
  }

  #hear(events: EventsMessage['events']): void {
    const nowMs = this.#world.serverTime.at(this.#world.monotonicMs());
    this.#see(events);
    if (nowMs === undefined || !this.#world.isMeasuring()) return;
    for (const event of events) {
      if (event.type !== 'feeding-completed' || event.at < this.#hereSinceMs) continue;
      this.#world.measures.dueToClient.add(nowMs - event.at);
    }
  }

  #see(events: EventsMessage['events']): void {
    this.#seen = Math.max(this.#seen ?? 0, events.at(-1)?.seq ?? 0);
  }
}

const isFinal = (asked: Asked<Reply>): boolean =>
  asked.kind === 'accepted' || (asked.kind === 'rejected' && !asked.rejection.retryable);

const askedToWaitMs = (asked: Asked<Reply>): number => {
  const waitMs = asked.kind === 'rejected' ? asked.rejection.params.retryAfterMs : 0;
  return typeof waitMs === 'number' ? waitMs : 0;
};

const codeOf = (error: unknown): string => {
  const { message, code, cause } = error as {
    readonly message?: string;
    readonly code?: unknown;
    readonly cause?: unknown;
  };
  if (cause instanceof Error && 'code' in cause) return String(cause.code);
  return message === undefined || message === '' ? String(code ?? 'failed') : message;
};
