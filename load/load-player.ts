import { CommandRefused, followHome, type HomeFollower } from '../client/follow/follow-home.ts';
import { systemPlatform } from '../client/follow/platform.ts';
import type { HomeEvent } from '../shared/event.ts';
import { type LoadWorld, ObservedClient } from './observed-client.ts';
import type { SeededChance, Wish } from './play.ts';

/** The interval of checks whether the player has joined. */
const POLL_MS = 250;
/** After a sign-in that was refused. */
const AGAIN_MS = 5_000;

/**
 * A guest on one device that gives one command after another, with the client of games (`followHome`): it reconnects
 * after any loss, and sends commands without a reply again with the same id. A guest that has used up everything is
 * replaced by a new one.
 */
export class LoadPlayer {
  readonly #world: LoadWorld;
  readonly #chance: SeededChance;
  readonly #onFree: () => void;
  #client: ObservedClient | undefined;
  #follower: HomeFollower | undefined;
  #commandId = '';

  /** `onFree` is called when the player has joined, and after each command. */
  constructor(world: LoadWorld, chance: SeededChance, onFree: () => void) {
    this.#world = world;
    this.#chance = chance;
    this.#onFree = onFree;
  }

  /** Resolves when the player has joined, or the run is over. Never throws. */
  async enter(): Promise<void> {
    if (await this.#join()) this.#world.measures.joined += 1;
    if (!this.#world.isOver()) this.#onFree();
  }

  /** Gives one command, due at `dueAtMs` of the steady clock. Resolves with its outcome, or at `leave()`. Never throws. */
  async play(dueAtMs: number): Promise<void> {
    const wish = await this.#wish();
    if (wish) await this.#give(wish, dueAtMs);
    if (!this.#world.isOver()) this.#onFree();
  }

  leave(): void {
    this.#follower?.close();
    // Does not wait for the leave, because a server may be frozen.
    this.#client?.drop();
  }

  /** Whether the player has joined; if not, the run is over. */
  async #join(): Promise<boolean> {
    const { measures, isOver, pause } = this.#world;
    const client = new ObservedClient(this.#world);
    let wasOnline = false;
    const follower = followHome({
      client,
      platform: { ...systemPlatform, random: this.#chance.next, uniqueId: () => this.#commandId },
      // The missed ones too: their player waited for them while the server was away.
      onEvents: (events) => this.#measureDue(events),
      onConnection: ({ phase }) => {
        if (phase === 'waiting' && !isOver()) client.giveUp();
        if (phase === 'online' && wasOnline) measures.comebacks += 1;
        wasOnline ||= phase === 'online';
        if (phase === 'refused') systemPlatform.after(AGAIN_MS, () => isOver() || follower.resync());
      },
    });
    this.#client = client;
    this.#follower = follower;
    while (follower.connection.phase !== 'online' && !isOver()) await pause(POLL_MS);
    return follower.connection.phase === 'online';
  }

  async #wish(): Promise<Wish | undefined> {
    const wish = this.#choose();
    if (wish || this.#world.isOver()) return wish;
    this.#world.measures.successors += 1;
    this.leave();
    await this.#join();
    return this.#choose();
  }

  #choose(): Wish | undefined {
    const home = this.#follower?.home;
    return home && this.#world.play.choose(home, this.#chance);
  }

  async #give({ type, payload }: Wish, dueAtMs: number): Promise<void> {
    const { measures, monotonicMs, isMeasuring, nextCommandId } = this.#world;
    this.#commandId = nextCommandId();
    const sentAtMs = monotonicMs();
    const counts = isMeasuring();
    measures.sent += 1;
    measures.asked.add(type);
    if (!(await this.#isConcluded(type, payload))) return;
    measures.finished += 1;
    if (!counts) return;
    measures.commands.add(monotonicMs() - dueAtMs);
    measures.answers.add(monotonicMs() - sentAtMs);
  }

  /** A command that is refused for now is sent again with the same id, as long as the run lasts. */
  async #isConcluded(type: Wish['type'], payload: Wish['payload']): Promise<boolean> {
    for (;;) {
      try {
        await this.#follower?.command(type as never, payload as never);
        this.#world.measures.accepted += 1;
        return true;
      } catch (error) {
        const isRefused = error instanceof CommandRefused;
        if (!isRefused || !error.rejection.retryable || this.#world.isOver())
          return isRefused && !error.rejection.retryable;
      }
    }
  }

  #measureDue(events: readonly HomeEvent[]): void {
    const nowMs = this.#follower?.nowMs();
    if (nowMs === undefined || !this.#world.isMeasuring()) return;
    for (const event of events) {
      const dueAtMs = this.#world.play.dueAtMs(event);
      if (dueAtMs !== undefined) this.#world.measures.dueToClient.add(nowMs - dueAtMs);
    }
  }
}
