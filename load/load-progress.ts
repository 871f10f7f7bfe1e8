import type { Terminal } from '../server/cli/console/terminal.ts';
import { countsText, msText, secondsText } from './load-lines.ts';
import type { LoadProgress } from './run-load.ts';

const EVERY_READER_MS = 200;
const EVERY_LINE_MS = 2000;
const SECOND_MS = 1000;

/** The progress of a load run: one line that is rewritten on a terminal, otherwise a new line from time to time. */
export class ProgressOfLoad {
  readonly #terminal: Terminal;
  #shownAtMs: number;
  #shown = 0;
  #hasRewritten = false;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    this.#shownAtMs = terminal.monotonicMs();
  }

  show(progress: LoadProgress): void {
    const { isForReader } = this.#terminal;
    const nowMs = this.#terminal.monotonicMs();
    const sinceMs = nowMs - this.#shownAtMs;
    if (sinceMs < (isForReader ? EVERY_READER_MS : EVERY_LINE_MS)) return;
    const { finished } = progress.measures;
    const line = lineOf(progress, ((finished - this.#shown) * SECOND_MS) / sinceMs);
    this.#shownAtMs = nowMs;
    this.#shown = finished;
    this.#hasRewritten ||= isForReader;
    if (isForReader) this.#terminal.rewrite(line);
    else this.#terminal.note(line);
  }

  /** The next text begins a new line. */
  end(): void {
    if (this.#hasRewritten) this.#terminal.note('');
  }
}

const lineOf = ({ measures, isMeasuring, leftMs }: LoadProgress, perSec: number): string => {
  const times = measures.commands.percentiles();
  const { refused, unanswered, failedJoins } = measures;
  return [
    `load${isMeasuring ? '' : ' (ramp-up)'}: ${measures.finished} commands, ${Math.round(perSec)}/s`,
    times ? `p50 ${msText(times.p50)} ms, p99 ${msText(times.p99)} ms` : 'p50 -, p99 -',
    ...(refused.total > 0 ? [`refused: ${countsText(refused.byWord())}`] : []),
    ...(unanswered.total > 0 ? [`unanswered: ${countsText(unanswered.byWord())}`] : []),
    ...(failedJoins.total > 0 ? [`failed joins: ${countsText(failedJoins.byWord())}`] : []),
    `${secondsText(leftMs)} left`,
  ].join(', ');
};
