import type { LoadReport } from './load-report.ts';
import type { Percentiles } from './measures.ts';

const HEAD = ['ms', 'count', 'p50', 'p90', 'p99', 'p99.9', 'max'];

/** The report for people. `hint`: how to make things come due. */
export const reportLines = (report: LoadReport, hint: string): readonly string[] => {
  const { timesMs, clockErrorMs, asked, joined, perSec, sent, accepted, unsent, open } = report;
  const error = clockErrorMs === null ? '' : `due to client: give or take ${msText(clockErrorMs)} ms of clock offset`;
  return [
    `${perSec}/s of ${msText(asked.perSec)}/s asked for, by ${joined === asked.players ? joined : `ONLY ${joined} of ${asked.players}`} players for ${secondsText(report.measuredMs)}${report.wasStopped ? ' (stopped)' : ''}`,
    `${sent} sent: ${countsText(report.byType)}`,
    `${accepted} accepted; refused: ${countsText(report.refused)}`,
    ...listed('sent again for want of a reply', report.unanswered),
    ...listed('joins that failed', report.failedJoins),
    ...(report.comebacks > 0 ? [`${report.comebacks} lost connections came back`] : []),
    ...(report.successors > 0
      ? [`${report.successors} guests had used up everything and were followed by new ones`]
      : []),
    ...(unsent > 0 ? [`${unsent} NEVER SENT: no free player had a command to send`] : []),
    ...(open > 0 ? [`${open} WITHOUT A KNOWN OUTCOME`] : []),
    ...table([
      HEAD,
      row('command (since it was due to be sent)', timesMs.command),
      row('answer (since it was sent)', timesMs.answer),
      row('due to client', timesMs.dueToClient),
      row('join', timesMs.join),
    ]),
    ...(timesMs.dueToClient ? [error] : [`nothing came due: ${hint}`]),
  ];
};

/** The most frequent first. */
export const countsText = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([word, count]) => `${word} ${count}`)
    .join(', ') || 'none';

export const msText = (ms: number): string => (ms < 10 ? ms.toFixed(1) : Math.round(ms).toString());

export const secondsText = (ms: number): string => `${Math.max(0, Math.round(ms / 1000))} s`;

const listed = (what: string, counts: Readonly<Record<string, number>>): readonly string[] =>
  Object.keys(counts).length > 0 ? [`${what}: ${countsText(counts)}`] : [];

const row = (name: string, times: Percentiles | null): readonly string[] =>
  times
    ? [name, `${times.count}`, ...[times.p50, times.p90, times.p99, times.p999, times.max].map(msText)]
    : [name, '0', ...Array.from({ length: HEAD.length - 2 }, () => '-')];

const table = (rows: readonly (readonly string[])[]): readonly string[] => {
  const widths = HEAD.map((_, at) => Math.max(...rows.map((cells) => cells[at]?.length ?? 0)));
  return rows.map((cells) =>
    cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join('  '),
  );
};
