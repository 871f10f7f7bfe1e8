import type { Pool } from 'pg';

/** What the database calls itself; made with its tables, and anew when it was restored. `schema` is a checked identifier. */
export const readEpoch = async (pool: Pool, schema: string): Promise<string> => {
  const { rows } = await pool.query<{ epoch: string }>(`select epoch from "${schema}".epoch`);
  if (!rows[0]) throw new Error('the table epoch is empty: run the migrations');
  return rows[0].epoch;
};
