import type { HomeState } from '../../shared/home-state.ts';
import type {
  CommandMessage,
  EventsMessage,
  PlayerCommandType,
  QuoteReply,
  Reply,
} from '../../shared/pets/protocol.ts';
import type { Rejection } from '../../shared/protocol.ts';
import { type Connection, Connector } from './connector.ts';
import type { FollowOptions } from './follow-options.ts';
import { Heartbeat } from './heartbeat.ts';
import type { Link } from './link.ts';
import { type Cursor, News } from './news.ts';
import { CommandRefused, FollowEnded, Outbox } from './outbox.ts';
import { systemPlatform } from './platform.ts';
import { ServerClock } from './server-clock.ts';
import { type ShownHome, shownHome } from './shown-home.ts';

export type { EngineBody, EngineEvent, EventPlace } from '../../shared/event.ts';
export type { HomeState, PetState } from '../../shared/home-state.ts';
export type { FieldsOf, Moved, PetEvent, PetEventType, PetsEvent, PetsEventBody } from '../../shared/pets/events.ts';
export type {
  Command,
  CommandMessage,
  CommandOf,
  CommandType,
  HomeEvent,
  PlayerCommandType,
  QuotedEvent,
  QuoteReply,
  Reply,
  Told,
} from '../../shared/pets/protocol.ts';
export type { Rejection, RejectionCode } from '../../shared/protocol.ts';
export type { Connection } from './connector.ts';
export type { FollowOptions } from './follow-options.ts';
export type { Cursor } from './news.ts';
export type { Platform } from './platform.ts';
export type { JoinOptions, SdkClient, SdkRoom } from './sdk.ts';
export type { ShownHome, ShownPet } from './shown-home.ts';
export { CommandRefused, FollowEnded };

export type Payload<Type extends PlayerCommandType> = Omit<CommandMessage<Type>, 'commandId'>;

/** Follows the home of the player, from any loss of connection back again, until it is closed. */
export const followHome = (options: FollowOptions): HomeFollower => new HomeFollower(options);

export class HomeFollower {
  readonly #options: FollowOptions;
  readonly #clock: ServerClock;
  readonly #connector: Connector;
  readonly #heartbeat: Heartbeat;
  readonly #news: News;
  readonly #outbox: Outbox;
  #home: ShownHome | undefined;
  #link: Link | undefined;
  /** Its process is about to stop: what is on its way is still answered there, the rest waits for the next one. */
  #drained: Link | undefined;

  constructor(options: FollowOptions) {
    const { client, platform = systemPlatform } = options;
    this.#options = options;
    this.#clock = new ServerClock(platform);
    this.#news = new News({
      platform,
      since: options.since,
      onEvents: (events, isMissed) => options.onEvents?.(events, isMissed),
      onNewLog: (start) => options.onNewLog?.(start),
    });
    this.#heartbeat = new Heartbeat({ platform, clock: this.#clock, onSilence: () => this.#connector.drop() });
    this.#outbox = new Outbox({
      platform,
      link: () => (this.#link === this.#drained ? undefined : this.#link),
      onReply: (reply) => this.#news.take(reply.events),
      onSilence: () => this.#heartbeat.hurry(),
    });
    this.#connector = new Connector({
      platform,
      client,
      tokens: options.tokens,
      signIn: options.signIn ?? (() => client.auth.signInAnonymously()),
      join: () => {
        const { cursor } = this.#news;
        const since = cursor ? { afterSeq: cursor.seq, epoch: cursor.epoch } : {};
        return options.join ? options.join(since) : client.joinOrCreate('home', since);
      },
      onRoom: (link) => this.#listen(link),
      onLost: () => this.#use(undefined),
      onConnection: (connection) => options.onConnection?.(connection),
    });
    this.#connector.start();
  }

  /** As last shown; it stays while the connection is lost. */
  get home(): ShownHome | undefined {
    return this.#home;
  }

  get connection(): Connection {
    return this.#connector.connection;
  }

  /** Up to here every event was told: what `since` wants next time. */
  get cursor(): Cursor | undefined {
    return this.#news.cursor;
  }

  /** Commands whose outcome is not known yet. */
  get waiting(): number {
    return this.#outbox.size;
  }

  /** The server's time in epoch milliseconds, whatever the clock of this machine says; undefined until it is known. */
  nowMs(): number | undefined {
    return this.#clock.nowMs();
  }

  /**
   * Gives a command. Without a connection it waits for the next one; without an answer it is sent again under the same id.
   * Throws `CommandRefused`, or `FollowEnded` when the follower is closed first.
   */
  command<Type extends PlayerCommandType>(type: Type, payload: Payload<Type>): Promise<Reply> {
    return this.connection.phase === 'closed' ? Promise.reject(new FollowEnded()) : this.#outbox.post(type, payload);
  }

  adopt(name: string, species: string): Promise<Reply> {
    return this.command('home:adopt', { name, species });
  }

  feed(petId: string, food: string): Promise<Reply> {
    return this.command('home:feed', { petId, food });
  }

  useCard(payload: Payload<'home:use-card'>): Promise<Reply> {
    return this.command('home:use-card', payload);
  }

  disarm(petId: string, count?: number): Promise<Reply> {
    return this.command('home:disarm', count === undefined ? { petId } : { petId, count });
  }

  stop(petId: string, feedingId?: string): Promise<Reply> {
    return this.command('home:stop', feedingId === undefined ? { petId } : { petId, feedingId });
  }

  release(petId: string): Promise<Reply> {
    return this.command('home:release', { petId });
  }

  /** What the command would do now. Nothing is done. Undefined when nobody answers; throws `CommandRefused`. */
  async quote<Type extends PlayerCommandType>(command: Type, payload: Payload<Type>): Promise<QuoteReply | undefined> {
    const asked = await this.#link?.ask<QuoteReply>('home:quote', { command, payload });
    if (asked?.kind === 'rejected') throw new CommandRefused(asked.rejection);
    return asked?.kind === 'accepted' ? asked.value : undefined;
  }

  /** For a device that has slept, or is back on the network: looks whether the connection lives, and measures the clock. */
  resync(): void {
    if (this.#link) this.#heartbeat.hurry();
    else this.#connector.hurry();
  }

  /** For a player whose token is refused (`connection.phase`): signs in as somebody new. */
  signInAnew(): void {
    this.#outbox.end();
    this.#connector.signInAnew();
  }

  /** Leaves. Nothing is told any more. */
  close(): void {
    this.#connector.close();
    this.#outbox.end();
  }

  #listen(link: Link): void {
    const { homeIn = (whole: unknown) => whole as HomeState, onHome } = this.#options;
    link.room.onMessage('home:events', (message: EventsMessage) => this.#news.hear(message));
    link.room.onMessage('home:rejected', (rejection: Rejection) => {
      if (rejection.code === 'sync/ahead') this.#news.refuse(rejection);
    });
    link.room.onMessage('home:drain', () => {
      this.#drained = link;
    });
    link.room.onStateChange((state) => {
      const isFirst = this.#link !== link;
      if (isFirst) this.#use(link);
      const shown = homeIn(state);
      if (isFirst && !shown) this.#findPlace(link);
      if (shown) {
        this.#home = shownHome(shown);
        this.#news.see(this.#home, isFirst);
        onHome?.(this.#home);
      }
      // Last: what a command answers must come behind a state.
      if (isFirst && shown) this.#goOnline(link);
    });
    // As the SDK has it: this room has no state and will never show one.
    if (link.room.state === null) {
      this.#use(link);
      this.#findPlace(link);
    }
  }

  /** Without a home the log itself says where the player is. A room that does not is no room to follow a home in. */
  async #findPlace(link: Link): Promise<void> {
    const isFound = await this.#news.findPlace(link);
    if (link !== this.#link) return;
    if (isFound) this.#goOnline(link);
    else this.#connector.drop();
  }

  #goOnline(link: Link): void {
    this.#connector.confirm();
    this.#heartbeat.start(link);
    this.#outbox.flush();
  }

  #use(link: Link | undefined): void {
    this.#link = link;
    this.#news.use(link);
    if (!link) this.#heartbeat.end();
  }
}
