import type { Pool } from 'pg';
import type { Generation, GenerationInForce, Generations } from '../../../timer/index/generation.ts';
import { type TimerIndexRecord, timerIndexEntity } from '../schema/entities/timer/timer-index.ts';
import { Records } from '../schema/records.ts';
import { query } from '../statement.ts';

const PAST = 32;

interface Dependencies {
  readonly pool: Pool;
  /** A checked identifier. */
  readonly schema: string;
}

type Written = Pick<TimerIndexRecord, 'generation' | 'shards'>;

/** The generation in force as a row (`Generations`). */
export class PostgresGenerations implements Generations {
  readonly #pool: Pool;
  readonly #table: string;
  readonly #records: Records;

  constructor({ pool, schema }: Dependencies) {
    this.#pool = pool;
    this.#table = `"${schema}".timer_index`;
    this.#records = new Records({ pool, schema });
  }

  async inForce(firstShards: number): Promise<GenerationInForce> {
    const row = await this.#read();
    if (row !== undefined) {
      const { generation: number, shards, wantedShards, pulse } = row;
      return { number, shards, wantedShards: wantedShards ?? undefined, pulse };
    }
    await this.#write(
      `insert into ${this.#table} (singleton, generation, shards) values (1, 1, $1) on conflict do nothing`,
      firstShards,
    );
    return this.inForce(firstShards);
  }

  async want(shards?: number): Promise<void> {
    await this.#write(`update ${this.#table} set wanted_shards = coalesce($1, shards)`, shards ?? null);
  }

  async startNext(): Promise<Generation> {
    const row = await this.#write(`
      update ${this.#table} set
        generation = generation + 1, shards = coalesce(wanted_shards, shards), wanted_shards = null, pulse = 0,
        past = case when jsonb_array_length(past) >= ${PAST} then past - 0 else past end
          || jsonb_build_object('number', generation, 'shards', shards)
      returning generation, shards`);
    if (row === undefined) throw new Error('no generation is in force yet');
    return { number: row.generation, shards: row.shards };
  }

  async notePulse(generation: number, pulse: number): Promise<void> {
    await this.#write(`update ${this.#table} set pulse = $2 where generation = $1 and pulse < $2`, generation, pulse);
  }

  async past(): Promise<readonly Generation[]> {
    return (await this.#read())?.past ?? [];
  }

  async #read(): Promise<TimerIndexRecord | undefined> {
    return (await this.#records.read((manager) => manager.find(timerIndexEntity)))[0];
  }

  async #write(text: string, ...values: (number | null)[]): Promise<Written | undefined> {
    return (await query<Written>(this.#pool, { text, values }))[0];
  }
}
