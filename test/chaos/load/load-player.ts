import { setTimeout as pass } from 'node:timers/promises';
import type { HomeEvent } from '../../../shared/pets/protocol.ts';
import { signIn } from '../../support/game/player.ts';
import {
  type Attempt,
  type CommandRecord,
  type ConnectionRecord,
  isFinal,
  type RefusedJoin,
} from '../evidence/evidence.ts';
import type { Witness } from '../evidence/read-evidence.ts';
import { chooseCommand, type PetInMind, remember, type Wish } from '../play/choose-command.ts';
import type { Random } from '../play/random.ts';
import { within } from '../play/within.ts';
import { Connection } from './connection.ts';

interface Options {
  readonly name: string;
  /** Addresses; the first is tried first. */
  readonly gateways: readonly string[];
  readonly random: Random;
}

interface SentCommand extends CommandRecord {
  readonly attempts: Attempt[];
}

/** How many commands of one player are on their way at most. */
const IN_FLIGHT = 3;

/**
 * A guest plays in bursts, and watches (or is away) in between, so that timers fire while no player watches. What is
 * not answered is sent again with the same id; a lost connection is opened again at the next gateway.
 */
export class LoadPlayer implements Witness {
  readonly commands: SentCommand[] = [];
  readonly connections: Connection[] = [];
  readonly refusedJoins: RefusedJoin[] = [];
  readonly #options: Options;
  readonly #pets: PetInMind[] = [];
  readonly #inFlight = new Set<Promise<void>>();
  #token = '';
  #seen = 0;
  #gateway = 0;
  #connecting: Promise<Connection> | undefined;
  #isPlaying = false;
  #isAway = false;
  #hasLeft = false;

  constructor(options: Options) {
    this.#options = options;
  }

  get playerId(): string {
    const payload = this.#token.split('.')[1] ?? '';
    return JSON.parse(Buffer.from(payload, 'base64url').toString()).sub;
  }

  get seen(): number {
    return this.#seen;
  }

  /** Signs in and joins. Throws when the gateways do not answer. */
  async enter(): Promise<void> {
    this.#token = (await signIn(this.#options.gateways[0] ?? '')).auth.token ?? '';
    await this.#connected();
  }

  /** Plays until `rest`. Some watch for so long that no command would repair a lost timer. */
  async play(): Promise<void> {
    const { random } = this.#options;
    const leastPauseMs = random.percent(40) ? 9_000 : 500;
    this.#isPlaying = true;
    await pass(random.below(1000));
    while (this.#isPlaying) {
      for (let left = 2 + random.below(6); left > 0 && this.#isPlaying; left -= 1) {
        const order = this.#order(chooseCommand(this.#pets, random));
        if (random.percent(75) || this.#inFlight.size >= IN_FLIGHT) await order;
        await pass(random.below(250));
      }
      await this.#lookOn(leastPauseMs + random.below(3_500));
    }
  }

  /** Begins nothing new. Resolves when every command has an answer, or `limitMs` are over. */
  async rest(limitMs: number): Promise<void> {
    this.#isPlaying = false;
    await within(limitMs, Promise.all(this.#inFlight)).catch(() => undefined);
  }

  /** A player that was away opens the home again. */
  async comeBack(limitMs: number): Promise<void> {
    this.#isAway = false;
    await within(limitMs, this.#connected()).catch(() => undefined);
  }

  leave(): void {
    this.#hasLeft = true;
    for (const connection of this.connections) connection.leave();
  }

  /** As it is now. */
  testimony(): Witness {
    const connections: ConnectionRecord[] = this.connections.map(
      ({ gateway, afterSeq, openedAtMs, arrivals, refusals, isClosed, shown }) => ({
        gateway,
        afterSeq,
        openedAtMs,
        arrivals,
        refusals,
        isClosed,
        shown,
      }),
    );
    return { playerId: this.playerId, commands: this.commands, connections };
  }

  async #lookOn(durationMs: number): Promise<void> {
    const isLeaving = this.#options.random.percent(20);
    if (isLeaving && this.#inFlight.size === 0) {
      this.#isAway = true;
      this.connections.at(-1)?.leave();
    }
    for (let leftMs = durationMs; leftMs > 0 && this.#isPlaying; leftMs -= 100) await pass(100);
    // Opening a home settles it: at the end no home is opened before everything should have ended by itself.
    if (!this.#isPlaying) return;
    this.#isAway = false;
    if (isLeaving) await this.#connected().catch(() => undefined);
  }

  #order(wish: Wish): Promise<void> {
    const command = {
      commandId: `${this.#options.name}-command-${this.commands.length}`,
      ...wish,
      attempts: [],
    };
    this.commands.push(command);
    const order = this.#sendUntilAnswered(command, wish).finally(() => this.#inFlight.delete(order));
    this.#inFlight.add(order);
    return order;
  }

  async #sendUntilAnswered(command: SentCommand, { type, payload }: Wish): Promise<void> {
    const { random } = this.#options;
    const message = { ...payload, commandId: command.commandId };
    while (!this.#hasLeft) {
      // Only a player that has left gets none.
      const connection = await this.#connected().catch(() => undefined);
      if (!connection) return;
      const sentAtMs = Date.now();
      const outcome = await connection.ask(type, message, command.attempts.length > 0);
      command.attempts.push({ gateway: connection.gateway, sentAtMs, endedAtMs: Date.now(), outcome });
      // Now and then a player sends a command again although its answer has come.
      if (isFinal(outcome) && !(outcome.kind === 'accepted' && random.percent(3))) return;
      await pass(50 + random.below(200));
    }
  }

  /** The connection there is, or a new one at the next gateway that lets the player in. */
  async #connected(): Promise<Connection> {
    const newest = this.connections.at(-1);
    if (newest && !newest.isClosed) return newest;
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #connect(): Promise<Connection> {
    const { gateways, random } = this.#options;
    for (;;) {
      if (this.#hasLeft) throw new Error('the player has left');
      const gateway = gateways[this.#gateway % gateways.length] ?? '';
      const afterSeq = this.#seen;
      try {
        const onEvents = (events: readonly HomeEvent[]): void => this.#see(events);
        const connection = await Connection.open({ gateway, token: this.#token, afterSeq, onEvents });
        this.connections.push(connection);
        if (this.#hasLeft) connection.leave();
        // A player that loses its connection continues at the other gateway, also without a command.
        void connection.closed.then(() => this.#goOn());
        return connection;
      } catch (error) {
        // Without a code nothing has answered: the gateway may be dead, or the machine slow.
        const { code } = Object(error);
        if (typeof code === 'number' && code > 0)
          this.refusedJoins.push({ gateway, atMs: Date.now(), why: `${code} ${Object(error).message}` });
        this.#gateway += 1;
        await pass(50 + random.below(200));
      }
    }
  }

  #goOn(): void {
    if (this.#hasLeft || this.#isAway) return;
    this.#gateway += 1;
    this.#connected().catch(() => undefined);
  }

  #see(events: readonly HomeEvent[]): void {
    for (const event of events) {
      if (event.seq <= this.#seen) continue;
      this.#seen = event.seq;
      remember(this.#pets, event);
    }
  }
}
