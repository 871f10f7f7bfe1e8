// The town's tables from the time before Kibble: gold is a column of the hero, everything else is an item.
import type { Pool } from 'pg';

export const makeTables = (pool: Pool): Promise<unknown> =>
  // One process after the other: of two that make one table at once, one would fail.
  pool.query(`
    select pg_advisory_xact_lock(hashtextextended('town', 0));
    create table if not exists hero (id text primary key, gold bigint not null default 0 check (gold >= 0));
    create table if not exists hero_item (
      hero text not null, item text not null, amount bigint not null check (amount >= 0), primary key (hero, item));
    create table if not exists stall (id text primary key, hero text not null, wood bigint not null, is_sold boolean not null default false);
  `);
