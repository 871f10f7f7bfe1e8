import { createKibble, type KibbleOptions, silent } from 'colyseus-kibble';
import pg from 'pg';

/** A Kibble with its own pool. Tests use different schemas: on the same one the second Kibble takes over from the first. */
export const ownKibble = (schema: string, more: Partial<KibbleOptions> = {}) => {
  const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 8 });
  return createKibble({ pool, schema, playerId: ({ sub }) => sub, log: silent, ...more });
};
