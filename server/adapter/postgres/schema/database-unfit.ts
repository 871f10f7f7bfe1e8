/** A database, a pool or a right that Kibble cannot work with. The message says what to do; nothing was changed. */
export class DatabaseUnfit extends Error {
  readonly code:
    | 'database/pool-too-small'
    | 'database/no-connection'
    | 'database/pooler'
    | 'database/no-right'
    | 'database/foreign-tables'
    | 'database/newer'
    | 'database/before-0.2'
    | 'database/encoding'
    | 'database/read-only';
  readonly retryable = false;

  constructor(code: DatabaseUnfit['code'], message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'DatabaseUnfit';
    this.code = code;
  }
}
