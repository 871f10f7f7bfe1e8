import type { Pool } from 'pg';
import { Coalescer } from '../../server/timer/coalescer.ts';

const LANES = 2;
const BATCH_LIMIT = 2_000;

/**
 * The durable effect of a fire, a row in Postgres, for systems that leave effects to the handler. Handlers that run at
 * once share a statement and a commit: the best case.
 */
export class Effects {
  readonly #lanes: readonly Coalescer<number, number>[];
  #calls = 0;

  constructor(pool: Pool) {
    const run = async (ids: readonly number[]): Promise<readonly number[]> => {
      const text = 'insert into effect select unnest($1::bigint[]), $2';
      await pool.query({ name: 'effect', text, values: [ids, Date.now()] });
      return ids;
    };
    this.#lanes = Array.from(
      { length: LANES },
      () => new Coalescer<number, number>({ run, isOfOne: () => false, limit: BATCH_LIMIT }),
    );
  }

  async add(ids: readonly number[]): Promise<void> {
    this.#calls += 1;
    await this.#lanes[this.#calls % LANES]?.add(ids);
  }
}
