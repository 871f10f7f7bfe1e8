import { lasting } from './lines.ts';
import type { Terminal } from './terminal.ts';

const EVERY_READER_MS = 200;
const EVERY_LINE_MS = 2000;
const SECOND_MS = 1000;

/** Progress of long work on stderr: one line that is rewritten on a terminal, otherwise a new line from time to time. */
export class ProgressLine {
  readonly #terminal: Terminal;
  readonly #what: string;
  readonly #startedAtMs: number;
  #firstDone: number | undefined;
  #saidAtMs = Number.NEGATIVE_INFINITY;
  #hasSaid = false;
  /** The line never goes backwards, whatever the work counts at the end. */
  #furthest = 0;

  constructor(terminal: Terminal, what: string) {
    this.#terminal = terminal;
    this.#what = what;
    this.#startedAtMs = terminal.monotonicMs();
  }

  /** `total` undefined: unknown. */
  report(done: number, total: number | undefined, more = ''): void {
    const nowMs = this.#terminal.monotonicMs();
    this.#firstDone ??= done;
    const everyMs = this.#terminal.isForReader ? EVERY_READER_MS : EVERY_LINE_MS;
    if (nowMs - this.#saidAtMs < everyMs) return;
    this.#saidAtMs = nowMs;
    this.#hasSaid = true;
    const line = this.#line(done, total, more, nowMs);
    if (this.#terminal.isForReader) this.#terminal.rewrite(line);
    else this.#terminal.note(line);
  }

  /** Ends with a last line, which stays. */
  end(done: number, total: number | undefined, more = ''): void {
    const line = this.#line(done, total, more, this.#terminal.monotonicMs());
    if (this.#terminal.isForReader && this.#hasSaid) this.#terminal.rewrite(line);
    this.#terminal.note(this.#terminal.isForReader && this.#hasSaid ? '' : line);
  }

  #line(counted: number, total: number | undefined, more: string, nowMs: number): string {
    const done = Math.max(counted, this.#furthest);
    this.#furthest = done;
    const elapsedMs = Math.max(1, nowMs - this.#startedAtMs);
    const perSecond = ((done - (this.#firstDone ?? 0)) * SECOND_MS) / elapsedMs;
    const share = total ? ` (${Math.min(100, Math.floor((done / total) * 100))} %)` : '';
    const left =
      total && perSecond > 0 ? `, ${lasting(Math.ceil(Math.max(0, total - done) / perSecond) * SECOND_MS)} left` : '';
    const of = total === undefined ? '' : ` of ${total}`;
    return `${this.#what}: ${done}${of}${share}, ${Math.round(perSecond)}/s${left}${more && `, ${more}`}`;
  }
}
