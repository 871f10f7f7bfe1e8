import type { QueryRunner } from 'typeorm';
import { DatabaseUnfit } from './database-unfit.ts';

/** Throws `DatabaseUnfit` for a database that cannot hold every text, or that takes no changes. */
export const refuseUnfit = async (runner: QueryRunner): Promise<void> => {
  const [found]: readonly Found[] = await runner.query(`
    select current_database() as database, current_setting('server_encoding') as encoding,
      current_setting('transaction_read_only') = 'on' as is_read_only, pg_is_in_recovery() as is_standby`);
  if (!found) return;
  const { database, encoding, is_read_only, is_standby } = found;
  if (encoding !== 'UTF8') {
    throw new DatabaseUnfit(
      'database/encoding',
      `the database ${database} has the encoding ${encoding}, which cannot hold every player's text: give Kibble one that was made with create database ... encoding 'UTF8' template template0`,
    );
  }
  if (!is_read_only) return;
  const remedy = is_standby
    ? 'it is a standby: connect to the primary (target_session_attrs=read-write finds it among several hosts of a proxy)'
    : `somebody has set default_transaction_read_only: run alter database "${database}" reset default_transaction_read_only, and the same for the role and the server where it is set there`;
  throw new DatabaseUnfit('database/read-only', `the database ${database} takes no changes: ${remedy}`);
};

interface Found {
  readonly database: string;
  readonly encoding: string;
  readonly is_read_only: boolean;
  readonly is_standby: boolean;
}
