import type { Pool } from 'pg';
import type { Generation, Generations } from '../../timer/generation.ts';

interface Dependencies {
  readonly pool: Pool;
  /** A checked identifier. */
  readonly schema: string;
}

interface Row {
  readonly generation: number;
  readonly shards: number;
}

/** The generation in force as a row (`Generations`). */
export class PostgresGenerations implements Generations {
  readonly #pool: Pool;
  readonly #table: string;

  constructor({ pool, schema }: Dependencies) {
    this.#pool = pool;
    this.#table = `"${schema}".timer_index`;
  }

  async inForce(firstShards: number): Promise<Generation> {
    const found = await this.#rows(`select generation, shards from ${this.#table}`);
    if (found !== undefined) return found;
    await this.#rows(
      `insert into ${this.#table} (singleton, generation, shards) values (1, 1, $1) on conflict do nothing`,
      firstShards,
    );
    return this.inForce(firstShards);
  }

  async startNext(shards?: number): Promise<Generation> {
    const started = await this.#rows(
      `update ${this.#table} set generation = generation + 1, shards = coalesce($1, shards) returning generation, shards`,
      shards ?? null,
    );
    if (started === undefined) throw new Error('no generation is in force yet');
    return started;
  }

  async #rows(text: string, ...values: (number | null)[]): Promise<Generation | undefined> {
    const [row] = (await this.#pool.query<Row>(text, values)).rows;
    return row && { number: row.generation, shards: row.shards };
  }
}
