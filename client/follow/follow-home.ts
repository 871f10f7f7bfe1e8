import type { Reply } from '../../shared/pets/protocol.ts';
import type { EventsMessage, Rejection, RulesMessage, ThingsMessage } from '../../shared/protocol.ts';
import { type Connection, Connector } from './connector.ts';
import { checkOptions, type FollowOptions, readable, type SafeCallbacks, safeCallbacks } from './follow-options.ts';
import { Heartbeat } from './heartbeat.ts';
import type { Link } from './link.ts';
import { type Cursor, News } from './news.ts';
import { CommandRefused, FollowEnded, framePayload, Outbox } from './outbox.ts';
import { Outdated } from './outdated.ts';
import { systemPlatform } from './platform.ts';
import type { CommandIn, EventIn, PayloadIn, PetsAlone, QuoteReplyIn, ReplyIn, SeenModules } from './seen-modules.ts';
import { ServerClock } from './server-clock.ts';
import { type ShownHome, ThingsReader } from './shown-home.ts';

export { type OptionFault, type OptionFaultCode, OptionsRefused } from '../../shared/options/options-refused.ts';
export type { Connection } from './connector.ts';
export type { FollowOptions } from './follow-options.ts';
export type { Cursor } from './news.ts';
export type { Platform } from './platform.ts';
export type * from './public-types.ts';
export type { JoinOptions, SdkClient, SdkRoom } from './sdk.ts';
export type { ShownHome } from './shown-home.ts';
export { CommandRefused, FollowEnded };

/**
 * Follows the player's home until it is closed, and reconnects after any loss. `Modules` are the types of the game's
 * modules: `followHome<[typeof pets, typeof village]>(...)`. Default: only the pets. Throws `OptionsRefused`.
 */
export const followHome = <Modules extends SeenModules = PetsAlone>(
  options: FollowOptions<Modules>,
): HomeFollower<Modules> => {
  checkOptions(options);
  return new HomeFollower(options);
};

export class HomeFollower<Modules extends SeenModules = PetsAlone> {
  readonly #told: SafeCallbacks<Modules>;
  readonly #clock: ServerClock;
  readonly #connector: Connector;
  readonly #heartbeat: Heartbeat;
  readonly #news: News;
  readonly #outbox: Outbox;
  readonly #things = new ThingsReader();
  readonly #outdated: Outdated;
  #isClosed = false;
  #home: ShownHome<Modules> | undefined;
  #link: Link | undefined;
  /** The connection to a stopping process: sent commands still get their replies; later ones wait for the next one. */
  #drained: Link | undefined;

  constructor(options: FollowOptions<Modules>) {
    const { client, platform = systemPlatform } = options;
    this.#told = safeCallbacks(options, () => this.#isClosed);
    this.#outdated = new Outdated(options.versions, this.#told.onOutdated);
    this.#clock = new ServerClock(platform);
    this.#news = new News({
      platform,
      since: options.since,
      onEvents: (events, isMissed) =>
        this.#told.onEvents(events as readonly unknown[] as readonly EventIn<Modules>[], isMissed),
      onNewLog: this.#told.onNewLog,
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
      tokens: this.#told.tokens,
      canRenew: options.signIn !== undefined,
      signIn: () => readable(options.signIn ?? (() => client.auth.signInAnonymously())),
      join: () => {
        const { cursor } = this.#news;
        const since = { things: true, ...(cursor && { afterSeq: cursor.seq, epoch: cursor.epoch }) } as const;
        return readable(() => options.join?.(since) ?? client.joinOrCreate('home', since));
      },
      onRoom: (link) => this.#listen(link),
      onLost: () => this.#use(undefined),
      onConnection: this.#told.onConnection,
      onFault: this.#told.onFault,
    });
    this.#connector.start();
  }

  /** The last shown home; it stays while the connection is lost. */
  get home(): ShownHome<Modules> | undefined {
    return this.#home;
  }

  get connection(): Connection {
    return this.#connector.connection;
  }

  /** All events up to here were delivered: use it as `since` next time. */
  get cursor(): Cursor | undefined {
    return this.#news.cursor;
  }

  /** The number of commands without a known outcome. */
  get waiting(): number {
    return this.#outbox.size;
  }

  /** The server's time in epoch milliseconds, independent of this machine's clock; undefined until it is known. */
  nowMs(): number | undefined {
    return this.#clock.nowMs();
  }

  /**
   * Sends a command. Without a connection it waits for the next one; without a reply it is sent again under the same
   * id. Throws `CommandRefused`, or `FollowEnded` if the follower is closed first.
   */
  command<Type extends CommandIn<Modules>>(
    type: Type,
    payload: PayloadIn<Modules, Type> & object,
  ): Promise<ReplyIn<Modules, Type>> {
    return this.#post(type, payload);
  }

  adopt(name: string, species: string): Promise<Reply> {
    return this.#post('home:adopt', { name, species });
  }

  feed(petId: string, food: string): Promise<Reply> {
    return this.#post('home:feed', { petId, food });
  }

  useCard(payload: PayloadIn<PetsAlone, 'home:use-card'>): Promise<Reply> {
    return this.#post('home:use-card', payload);
  }

  disarm(petId: string, count?: number): Promise<Reply> {
    return this.#post('home:disarm', count === undefined ? { petId } : { petId, count });
  }

  stop(petId: string, feedingId?: string): Promise<Reply> {
    return this.#post('home:stop', feedingId === undefined ? { petId } : { petId, feedingId });
  }

  release(petId: string): Promise<Reply> {
    return this.#post('home:release', { petId });
  }

  /** Returns what the command would do now, without doing it. Undefined if no reply comes; throws `CommandRefused`. */
  async quote<Type extends CommandIn<Modules>>(
    command: Type,
    payload: PayloadIn<Modules, Type> & object,
  ): Promise<QuoteReplyIn<Type> | undefined> {
    const question = { command, payload: framePayload(command, payload) };
    const asked = await this.#link?.ask<QuoteReplyIn<Type>>('home:quote', question);
    if (asked?.kind === 'rejected') throw new CommandRefused(asked.rejection);
    return asked?.kind === 'accepted' ? asked.value : undefined;
  }

  /** For a device that has slept or is back on the network: checks the connection, and measures the clock. */
  resync(): void {
    if (this.#link) this.#heartbeat.hurry();
    else this.#connector.hurry();
  }

  /** For a player with a refused token (`connection.phase`): signs in as a new player. */
  signInAnew(): void {
    this.#outbox.end();
    this.#connector.signInAnew();
  }

  /** Leaves. No callback is called any more. */
  close(): void {
    this.#connector.close();
    this.#isClosed = true;
    this.#outbox.end();
  }

  /** The caller states the type of this command's reply. */
  #post<Value>(type: string, payload: object): Promise<Value> {
    if (this.connection.phase === 'closed') return Promise.reject(new FollowEnded());
    return this.#outbox.post(type, payload) as Promise<unknown> as Promise<Value>;
  }

  #listen(link: Link): void {
    this.#things.begin();
    link.listen('home:events', (message: EventsMessage) => this.#news.hear(message));
    link.listen('home:things', (message: ThingsMessage) => this.#see(message, link));
    link.listen('home:rejected', (rejection: Rejection) => {
      if (rejection.code === 'sync/ahead') this.#news.refuse(rejection);
    });
    link.listen('home:rules', (rules: RulesMessage) => this.#told.onRules(rules));
    link.listen('home:drain', () => {
      this.#drained = link;
    });
    this.#seek(link);
  }

  #see(message: ThingsMessage, link: Link): void {
    const home = this.#things.take(message) as ShownHome<Modules> | undefined;
    this.#outdated.look(message);
    if (message.more) this.#connector.giveTime();
    if (!home) return;
    const isFirst = this.#link !== link;
    if (isFirst) this.#use(link);
    this.#home = home;
    this.#news.see(home, isFirst);
    this.#told.onHome(home);
    // Last, because the reply to a command must come after the things.
    if (isFirst) this.#goOnline(link);
  }

  /** A game's own room may ignore the join's options: then the things are here before any reply. */
  async #seek(link: Link): Promise<void> {
    let parts: number;
    // While parts arrive, the reply waits behind them on a slow connection, and so would a second snapshot.
    do {
      parts = this.#things.parts;
      await link.ask('home:time', {});
      if (!link.isOpen || link === this.#link) return;
    } while (this.#things.parts > parts);
    const asked = await this.#news.seek(link);
    if (asked.kind === 'silent' || !link.isOpen || link === this.#link) return;
    // A room without things cannot follow a home.
    this.#connector.drop(asked.kind === 'rejected' ? asked.rejection.code : undefined);
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
