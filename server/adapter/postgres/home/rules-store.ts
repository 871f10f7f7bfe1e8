import { StoreFault } from '../../../home/model/faults.ts';
import { commandHash } from '../../../home/model/home-store.ts';
import type { NewRules, RulesStore, RulesVersion } from '../../../home/model/rules-store.ts';
import type { Tx } from '../../../timer/model/timer-store.ts';
import { type Database, nowMs, type Statements } from '../database.ts';

interface RulesRow extends Omit<RulesVersion, 'config' | 'by' | 'atMs'> {
  readonly config: string;
  readonly actor: string;
  readonly at: string;
}

export class PostgresRulesStore implements RulesStore {
  readonly #database: Database;
  readonly #sql: Statements<keyof ReturnType<typeof rulesSql>>;

  constructor(database: Database) {
    this.#database = database;
    this.#sql = database.statements('rules', rulesSql(database.schema));
  }

  newest(): Promise<number> {
    return reading(async () => (await this.#sql.rows<{ number: number }>('newest'))[0]?.number ?? 0);
  }

  at(number: number): ReturnType<RulesStore['at']> {
    return reading(async () => {
      const rows = await this.#sql.rows<RulesRow>('at', [number]);
      const named = await this.#sql.rows<{ item: string }>('items', [number]);
      return { versions: rows.map(versionOf), items: named.map(({ item }) => item) };
    });
  }

  history(module: string, limit: number, before?: number): Promise<readonly RulesVersion[]> {
    return reading(async () =>
      (await this.#sql.rows<RulesRow>('history', [module, before ?? null, limit])).map(versionOf),
    );
  }

  async version(module: string, version: number): Promise<RulesVersion | undefined> {
    const [found] = await this.history(module, 1, version + 1);
    return found?.version === version ? found : undefined;
  }

  async lock(tx: Tx, module: string): Promise<RulesVersion | undefined> {
    await this.#sql.run('lock', [], tx);
    const [newest] = await this.#sql.rows<RulesRow>('history', [module, null, 1], tx);
    return newest && versionOf(newest);
  }

  nowMs(tx: Tx): Promise<number> {
    return this.#database.now(tx);
  }

  async wasFile(tx: Tx, module: string, config: unknown): Promise<boolean> {
    return (await this.#sql.rows('wasFile', [module, contentHash(config)], tx)).length > 0;
  }

  async add(tx: Tx, { module, config, items, source, by, reason }: NewRules): Promise<RulesVersion> {
    const values = [module, JSON.stringify(config), contentHash(config), items, source, by, reason];
    const [row] = await this.#sql.rows<RulesRow>('add', [...values, this.#database.datedMs()], tx);
    if (!row) throw new Error('an insert returns its row');
    return versionOf(row);
  }
}

const contentHash = (config: unknown): string => commandHash({ config });

const reading = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  try {
    return await work();
  } catch (error) {
    throw new StoreFault('down', error);
  }
};

const versionOf = ({ config, actor, at, ...row }: RulesRow): RulesVersion => ({
  ...row,
  config: JSON.parse(config) as unknown,
  by: actor,
  atMs: Number(at),
});

/** `schema` is a checked identifier. */
const rulesSql = (schema: string) => {
  const rules = `"${schema}".rules`;
  const columns = 'number, module, version, config::text as config, source, actor, reason, at';
  return {
    newest: `select coalesce(max(number), 0) as number from ${rules}`,

    at: `select distinct on (module) ${columns} from ${rules} where number <= $1 order by module, number desc`,

    items: `select distinct item from ${rules} cross join lateral unnest(items) as item where number <= $1`,

    history: `select ${columns} from ${rules}
      where module = $1 and ($2::int is null or version < $2) order by version desc limit $3`,

    /** All modules share the lock, because they share the numbers. */
    lock: `select pg_advisory_xact_lock(hashtextextended('${schema}.rules', 0))`,

    wasFile: `select from ${rules} where module = $1 and hash = $2 and source = 'file' limit 1`,

    add: `insert into ${rules} (number, module, version, config, hash, items, source, actor, reason, at)
      select coalesce((select max(number) from ${rules}), 0) + 1, $1,
        coalesce((select max(version) from ${rules} where module = $1), 0) + 1,
        $2::json, $3, $4::text[], $5, $6, $7, ${nowMs(8)}
      returning ${columns}`,
  } as const;
};
