import type { Pool } from 'pg';
import { systemClock } from '../../../server/adapter/machine/system-clock.ts';
import { Coalescer } from '../../../server/runtime/coalescer.ts';

const BATCH_LIMIT = 2_000;

/**
 * The durable effect of a fire, a row in Postgres, for systems that leave effects to the handler. Handlers that run at
 * once share a statement and a commit: the best case.
 */
export class Effects {
  readonly #coalescer: Coalescer<number, number>;

  constructor(pool: Pool) {
    const run = async (ids: readonly number[]): Promise<readonly number[]> => {
      const text = 'insert into effect select unnest($1::bigint[]), $2';
      await pool.query({ name: 'effect', text, values: [ids, Date.now()] });
      return ids;
    };
    this.#coalescer = new Coalescer({
      run,
      nameOf: String,
      isOfOne: () => false,
      limit: BATCH_LIMIT,
      after: systemClock.after,
    });
  }

  async add(ids: readonly number[]): Promise<void> {
    await this.#coalescer.add(ids);
  }
}
