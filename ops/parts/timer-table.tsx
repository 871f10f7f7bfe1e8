import type { OpsTimer } from '../../shared/ops/ops-timer.ts';
import { playerHref, timerHref } from '../session/route.ts';
import { againText } from '../words/event-text.ts';
import { number, shortSubject } from '../words/formats.ts';
import { words } from '../words/words.ts';
import { At, Mark } from './states.tsx';

const texts = () => words().timers;

interface Props {
  readonly timers: readonly OpsTimer[];
  readonly nowMs: number;
  /** By id: the index's fire times, shown beside the rows. */
  readonly inIndex?: ReadonlyMap<string, number> | undefined;
}

/** Each timer links to its explanation. On a narrow screen each one is a card. */
export const TimerTable = ({ timers, nowMs, inIndex }: Props) => (
  <table class="table">
    <thead>
      <tr>
        <th scope="col">{texts().timer}</th>
        <th scope="col">{texts().kind}</th>
        <th scope="col">{texts().subject}</th>
        <th scope="col">{texts().owner}</th>
        <th scope="col">{texts().due}</th>
        {inIndex && <th scope="col">{texts().inIndex}</th>}
        <th scope="col">{texts().state}</th>
        <th scope="col">{texts().error}</th>
      </tr>
    </thead>
    <tbody>
      {timers.map((timer) => (
        <tr key={timer.timerId}>
          <td data-label={texts().timer}>
            <a href={timerHref(timer.timerId)}>{timer.timerId}</a>
          </td>
          <td data-label={texts().kind}>{timer.kind}</td>
          <td data-label={texts().subject}>
            <code>{shortSubject(timer)}</code>
          </td>
          <td data-label={texts().owner}>
            {timer.isDerived ? <a href={playerHref(timer.owner)}>{timer.owner}</a> : timer.owner}
          </td>
          <td data-label={texts().due}>
            <At ms={timer.dueAtMs} nowMs={nowMs} isRelative />
            {timer.recurrence && (
              <p class="soft">
                {againText(timer.recurrence)} · {texts().turn} {number(timer.turn)}
              </p>
            )}
          </td>
          {inIndex && (
            <td data-label={texts().inIndex}>
              <InIndex timer={timer} atMs={inIndex.get(timer.timerId)} nowMs={nowMs} />
            </td>
          )}
          <td data-label={texts().state}>
            <StateMark timer={timer} />
            {timer.isInCall && timer.claimedAtMs !== undefined && (
              <p class="soft">
                {texts().inCallSince} <At ms={timer.claimedAtMs} nowMs={nowMs} />
              </p>
            )}
          </td>
          <td data-label={texts().error} class="error-cell">
            {timer.lastError ?? '—'}
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);

interface InIndexProps {
  readonly timer: OpsTimer;
  readonly atMs: number | undefined;
  readonly nowMs: number;
}

/** An overdue timer was handed off, or comes again soon: the index rightly has no entry, or another time. */
const InIndex = ({ timer, atMs, nowMs }: InIndexProps) => {
  if (atMs === undefined) return timer.isOverdue ? '—' : <Mark tone="danger">{texts().notInIndex}</Mark>;
  return (
    <>
      <At ms={atMs} nowMs={nowMs} isRelative />
      {timer.isOverdue || atMs === timer.fireAtMs || <Mark tone="danger">{texts().otherTime}</Mark>}
    </>
  );
};

export const StateMark = ({ timer: { state, isOverdue, isInCall, isPaused } }: { readonly timer: OpsTimer }) => {
  if (isOverdue) return <Mark tone="danger">{texts().overdue}</Mark>;
  if (isPaused) return <Mark tone="honey">{texts().paused}</Mark>;
  if (isInCall) return <Mark tone="honey">{texts().inCall}</Mark>;
  return <Mark tone={tones[state]}>{texts().states[state]}</Mark>;
};

const tones = { scheduled: 'sky', completed: 'leaf', cancelled: 'quiet', dead: 'danger' } as const;
