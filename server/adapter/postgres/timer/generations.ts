import type { Generation, GenerationInForce, Generations } from '../../../timer/index/generation.ts';
import type { Database, Statements } from '../database.ts';
import { type TimerIndexRecord, timerIndexEntity } from '../schema/ops-entities.ts';
import { Records } from '../schema/records.ts';

const PAST = 32;

/** The generation in force as a row (`Generations`). */
export class PostgresGenerations implements Generations {
  readonly #sql: Statements<keyof ReturnType<typeof generationSql>>;
  readonly #records: Records;

  constructor(database: Database) {
    this.#sql = database.statements('generation', generationSql(`"${database.schema}".timer_index`));
    this.#records = new Records(database);
  }

  async inForce(firstShards: number): Promise<GenerationInForce> {
    const row = await this.#read();
    if (row !== undefined) {
      const { generation: number, shards, wantedShards, pulse } = row;
      return { number, shards, wantedShards: wantedShards ?? undefined, pulse };
    }
    await this.#sql.run('begin', [firstShards]);
    return this.inForce(firstShards);
  }

  async want(shards?: number): Promise<void> {
    await this.#sql.run('want', [shards ?? null]);
  }

  async startNext(): Promise<Generation> {
    const [row] = await this.#sql.rows<Generation>('startNext');
    if (row === undefined) throw new Error('no generation is in force yet');
    return row;
  }

  async notePulse(generation: number, pulse: number): Promise<void> {
    await this.#sql.run('pulse', [generation, pulse]);
  }

  async past(): Promise<readonly Generation[]> {
    return (await this.#read())?.past ?? [];
  }

  async #read(): Promise<TimerIndexRecord | undefined> {
    return (await this.#records.read((manager) => manager.find(timerIndexEntity)))[0];
  }
}

const generationSql = (table: string) => ({
  begin: `insert into ${table} (singleton, generation, shards) values (1, 1, $1) on conflict do nothing`,

  want: `update ${table} set wanted_shards = coalesce($1, wanted_shards, shards)`,

  startNext: `
      update ${table} set
        generation = generation + 1, shards = coalesce(wanted_shards, shards), wanted_shards = null, pulse = 0,
        past = case when jsonb_array_length(past) >= ${PAST} then past - 0 else past end
          || jsonb_build_object('number', generation, 'shards', shards)
      returning generation as number, shards`,

  pulse: `update ${table} set pulse = $2 where generation = $1 and pulse < $2`,
});
