import { setTimeout as pass } from 'node:timers/promises';
import type { Violation } from './evidence/evidence.ts';
import { onDatabase, type World } from './world/world.ts';

const EVERY_MS = 1_000;

/**
 * Looks at the stock once a second while everything else goes on: in one snapshot, what the logs say of each player's items is
 * what the rows say, and nothing is negative. While Postgres is away there is nothing to look at.
 */
export class StockWatch {
  readonly violations: Violation[] = [];
  readonly #world: Pick<World, 'databaseUrl'>;
  readonly #stopped = new AbortController();
  #looks = 0;
  #watching: Promise<void> = Promise.resolve();

  constructor(world: Pick<World, 'databaseUrl'>) {
    this.#world = world;
  }

  /** How often it has looked and was told. */
  get looks(): number {
    return this.#looks;
  }

  start(): void {
    this.#watching = this.#watch();
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#watching;
  }

  async #watch(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      const begunAtMs = performance.now();
      await this.#look().catch(() => undefined);
      const leftMs = EVERY_MS - (performance.now() - begunAtMs);
      await pass(Math.max(0, leftMs), undefined, { signal }).catch(() => undefined);
    }
  }

  /** On a connection of its own: the last one may have ended with the server. */
  async #look(): Promise<void> {
    const { rows } = await onDatabase(this.#world, (client) => client.query(DRIFT));
    this.#looks += 1;
    for (const { player_id: playerId, item, told, kept } of rows) {
      this.violations.push({ playerId, what: `has ${kept} of ${item} while its log says ${told}` });
    }
  }
}

/** One statement sees one snapshot. */
const DRIFT = `
with told as (
  select player_id, item.key as item, sum(item.value::bigint) as told
  from kibble.event, jsonb_each_text(body->'items') item group by player_id, item.key)
select player_id, item, coalesce(told, 0) as told, coalesce(count, 0) as kept
from told full join kibble.item using (player_id, item)
where coalesce(told, 0) <> coalesce(count, 0) or count < 0`;
