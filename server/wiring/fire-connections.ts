import type { Pool } from 'pg';

/** Of the pool the share of the kinds with a `fire`: however long their handlers take, commands and homes have the rest. */
export const fireConnectionsOf = ({ options }: Pool): number => Math.max(1, Math.floor((options.max ?? PG_MAX) / 4));

/** What `pg` takes for a pool without a maximum. */
const PG_MAX = 10;
