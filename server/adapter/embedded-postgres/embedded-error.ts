export type EmbeddedErrorCode =
  | 'embedded/unsupported' // no binaries for this platform, or they do not run here
  | 'embedded/no-user' // root, and no other account that Postgres could run as
  | 'embedded/not-writable' // the data folder cannot be written, or has another owner
  | 'embedded/version' // the data were written by another major version
  | 'embedded/in-use' // another Kibble server uses the data folder
  | 'embedded/port-in-use' // another program listens on the port
  | 'embedded/failed'; // Postgres failed; the message has its last log line

/** One line: what is wrong, and what to do. */
export class EmbeddedError extends Error {
  readonly code: EmbeddedErrorCode;

  constructor(code: EmbeddedErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'EmbeddedError';
    this.code = code;
  }
}
