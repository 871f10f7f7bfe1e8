import type { Random } from '../play/random.ts';
import type { Reached } from '../world/database.ts';
import type { Role, ServerNode } from '../world/node.ts';
import type { World, WorldOptions } from '../world/world.ts';

export interface Strike {
  readonly world: World;
  readonly random: Random;
}

/** What was tried for a promise, so often. */
export interface Spoken {
  readonly row: number;
  readonly of: string;
  readonly times: number;
}

/** Something that goes wrong while players play. */
export interface Scenario {
  readonly name: string;
  /** The promises that it speaks for beside those that every scenario does (lateness, stock, order of events). */
  readonly speaksFor: readonly Spoken[];
  /** The servers; those without rooms are workers. */
  readonly roles: readonly Role[];
  readonly redis: WorldOptions['redis'];
  /** How the servers reach Postgres. Default: directly. */
  readonly reached?: Reached;
  /** How late a feeding may complete (RELIABILITY, row 11); for as long as something is away that comes on top. */
  readonly boundMs: number;
  /** Whether gateways that live must answer all the while. */
  readonly othersGoOn: boolean;
  /** Does it, from its beginning to its end. */
  strike(strike: Strike): Promise<Struck>;
}

export interface Struck {
  /** How long something was away without which nothing can be done. */
  readonly awayMs?: number;
  /** The node that was struck. */
  readonly node?: ServerNode;
  /** What else was tried: how often is known only now. */
  readonly counted?: readonly Spoken[];
  /** When what was away was there again: by `Date.now()`. From then on servers have 5 s to serve. */
  readonly backAtMs?: readonly number[];
}
