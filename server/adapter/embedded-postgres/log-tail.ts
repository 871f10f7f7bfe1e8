import { readFileSync, statSync } from 'node:fs';

/** What the last start of Postgres wrote into its log. */
export class LogTail {
  readonly #file: string;
  #from = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** From here on. Call it before the start. */
  begin(): void {
    this.#from = statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** Why Postgres ended: its last fatal line, else its last line. The very last one says only that it did. */
  fault(): string | undefined {
    const lines = this.#read().trim().split('\n');
    return lines.findLast((line) => /\b(FATAL|PANIC):/.test(line)) ?? (lines.at(-1) || undefined);
  }

  /** An old Postgres has not let go of the folder yet. Postgres runs with `LC_ALL=C`, so these are its words. */
  saysThatTheFolderIsTaken(): boolean {
    return /lock file ".*" already exists|shared memory block .* is still in use/.test(this.#read());
  }

  #read(): string {
    try {
      const bytes = readFileSync(this.#file);
      // A log that was too large began anew.
      return bytes.subarray(this.#from > bytes.length ? 0 : this.#from).toString('utf8');
    } catch {
      return '';
    }
  }
}
