// Shared by every process of the town: its settings, its pool, and a Kibble with the town's own tables, module and
// timers.
import { type AnyModule, createKibble, type Kibble, type KibbleOptions, pets } from 'colyseus-kibble';
import pg from 'pg';
import { bag } from './bag.ts';
import { market } from './market.ts';
import { makeTables } from './tables.ts';
import { village } from './village.ts';

const needed = (name: string): string => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} must be set: README.md says to what`);
  return value;
};

export const settings = {
  port: Number(process.env.PORT ?? 2567),
  secret: needed('TOWN_SECRET'),
  mayorToken: needed('MAYOR_TOKEN'),
};

/** Short meals, so that a visitor sees one end. The bakery sells the food, so a new player has none. */
const rules = { starter: { items: {} }, foods: { bread: { workMs: 2_000, xp: 5 } } };

/** With this type `Kibble` suffices everywhere; without it `homes.handle` and clients know the type of each command. */
const modules: readonly AnyModule[] = [pets(rules), village];

export const openTown = async (role: NonNullable<KibbleOptions['role']>) => {
  const pool = new pg.Pool({ connectionString: needed('DATABASE_URL'), max: 10 });
  // A connection that was killed must not end the process.
  pool.on('error', (error) => console.error(`town: ${error.message}`));
  await makeTables(pool);
  const redis = process.env.REDIS_URL;
  const kibble: Kibble = createKibble({
    pool,
    role: redis ? role : 'all',
    ...(redis ? { redis } : {}),
    playerId: ({ hero }: { hero: string }) => hero,
    inventory: bag,
    modules,
    kinds: [market(() => kibble.homes)],
  });
  return { kibble, pool };
};
