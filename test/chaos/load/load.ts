import type { Attempt, RefusedJoin } from '../evidence/evidence.ts';
import type { Witness } from '../evidence/read-evidence.ts';
import { randomOf } from '../play/random.ts';
import { within } from '../play/within.ts';
import { LoadPlayer } from './load-player.ts';

interface Options {
  readonly players: number;
  readonly seed: number;
  /** Addresses; players are spread over them. */
  readonly gateways: readonly string[];
}

/** Many players at once, the same for the same seed as far as chance is concerned. */
export class Load {
  readonly #players: readonly LoadPlayer[];
  #playing: Promise<unknown> = Promise.resolve();

  constructor({ players, seed, gateways }: Options) {
    const random = randomOf(seed);
    this.#players = Array.from({ length: players }, (_, at) => {
      const first = at % gateways.length;
      const own = [...gateways.slice(first), ...gateways.slice(0, first)];
      return new LoadPlayer({ name: `player-${at}`, gateways: own, random: random.fork(`player ${at}`) });
    });
  }

  /** Resolves when all are in; then they play. Throws when one cannot come in. */
  async start(): Promise<void> {
    for (let at = 0; at < this.#players.length; at += 20) {
      await Promise.all(this.#players.slice(at, at + 20).map((player) => player.enter()));
    }
    this.#playing = Promise.all(this.#players.map((player) => player.play()));
  }

  /** No new commands; resolves when those under way are answered, or `limitMs` are over. */
  async rest(limitMs: number): Promise<void> {
    await Promise.all(this.#players.map((player) => player.rest(limitMs)));
    await within(limitMs, this.#playing).catch(() => undefined);
  }

  /** Players that were away open their homes again. */
  async comeBack(limitMs: number): Promise<void> {
    await Promise.all(this.#players.map((player) => player.comeBack(limitMs)));
  }

  leave(): void {
    for (const player of this.#players) player.leave();
  }

  get commands(): number {
    return this.#players.reduce((sum, player) => sum + player.commands.length, 0);
  }

  /** How often a player joined again after a connection was lost. */
  get comebacks(): number {
    return this.#players.reduce((sum, { connections }) => sum + Math.max(0, connections.length - 1), 0);
  }

  /** Everything that was sent, whatever came of it. */
  attempts(): readonly Attempt[] {
    return this.#players.flatMap((player) => player.commands.flatMap((command) => command.attempts));
  }

  refusedJoins(): readonly RefusedJoin[] {
    return this.#players.flatMap((player) => player.refusedJoins);
  }

  /** The newest event that each player has seen. */
  seen(): ReadonlyMap<string, number> {
    return new Map(this.#players.map((player) => [player.playerId, player.seen]));
  }

  /** `seq` of the state that each player is shown. */
  shown(): ReadonlyMap<string, number> {
    return new Map(this.#players.map(({ playerId, connections }) => [playerId, connections.at(-1)?.shown?.seq ?? 0]));
  }

  witnesses(): readonly Witness[] {
    return this.#players.map((player) => player.testimony());
  }
}
