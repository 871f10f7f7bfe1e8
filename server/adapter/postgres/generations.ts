import type { Pool } from 'pg';
import type { Generation, GenerationInForce, Generations } from '../../timer/generation.ts';

const PAST = 32;

interface Dependencies {
  readonly pool: Pool;
  /** A checked identifier. */
  readonly schema: string;
}

interface Row {
  readonly generation: number;
  readonly shards: number;
  readonly wanted_shards: number | null;
  readonly pulse: number;
  readonly past: readonly Generation[];
}

/** The generation in force as a row (`Generations`). */
export class PostgresGenerations implements Generations {
  readonly #pool: Pool;
  readonly #table: string;

  constructor({ pool, schema }: Dependencies) {
    this.#pool = pool;
    this.#table = `"${schema}".timer_index`;
  }

  async inForce(firstShards: number): Promise<GenerationInForce> {
    const row = await this.#row(`select generation, shards, wanted_shards, pulse from ${this.#table}`);
    if (row !== undefined) {
      const { generation: number, shards, wanted_shards: wanted, pulse } = row;
      return { number, shards, wantedShards: wanted ?? undefined, pulse };
    }
    await this.#row(
      `insert into ${this.#table} (singleton, generation, shards) values (1, 1, $1) on conflict do nothing`,
      firstShards,
    );
    return this.inForce(firstShards);
  }

  async want(shards?: number): Promise<void> {
    await this.#row(`update ${this.#table} set wanted_shards = coalesce($1, shards)`, shards ?? null);
  }

  async startNext(): Promise<Generation> {
    const row = await this.#row(`
      update ${this.#table} set
        generation = generation + 1, shards = coalesce(wanted_shards, shards), wanted_shards = null, pulse = 0,
        past = case when jsonb_array_length(past) >= ${PAST} then past - 0 else past end
          || jsonb_build_object('number', generation, 'shards', shards)
      returning generation, shards`);
    if (row === undefined) throw new Error('no generation is in force yet');
    return { number: row.generation, shards: row.shards };
  }

  async notePulse(generation: number, pulse: number): Promise<void> {
    await this.#row(`update ${this.#table} set pulse = $2 where generation = $1 and pulse < $2`, generation, pulse);
  }

  async past(): Promise<readonly Generation[]> {
    return (await this.#row(`select past from ${this.#table}`))?.past ?? [];
  }

  async #row(text: string, ...values: (number | null)[]): Promise<Row | undefined> {
    return (await this.#pool.query<Row>(text, values)).rows[0];
  }
}
