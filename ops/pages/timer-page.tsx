import type { ComponentChildren } from 'preact';
import type { OpsTimer } from '../../shared/ops/ops-timer.ts';
import { ActButtons } from '../acts/act-buttons.tsx';
import { timerActs } from '../acts/acts.ts';
import { AuditTable, pretty } from '../parts/audit-list.tsx';
import { Explanation } from '../parts/explanation.tsx';
import { At, Panel, Shown } from '../parts/states.tsx';
import { StateMark } from '../parts/timer-table.tsx';
import { playerHref } from '../session/route.ts';
import { EVERY_MS, useAnswer } from '../session/use-session.ts';
import { againText } from '../words/event-text.ts';
import { number, shortSubject, span } from '../words/formats.ts';
import { words } from '../words/words.ts';

const texts = () => words().timers;

/** Explains a timer's due time: for a thing its ledger, for other timers the known facts and the operators' changes. */
export const TimerPage = ({ timerId }: { readonly timerId: string }) => (
  <>
    <h1 class="id-title">
      <span class="soft">{texts().about}</span> {timerId}
    </h1>
    <Shown of={useAnswer('explainTimer', { timerId }, {}, EVERY_MS)}>
      {({ timer, thing, audit, nowMs }) => (
        <>
          <section class="panel summary" aria-label={texts().about}>
            <TimerFacts timer={timer} nowMs={nowMs} />
            {timer.isDerived ? (
              <p class="soft">
                {texts().derivedHint} <a href={playerHref(timer.owner)}>{timer.owner}</a>
              </p>
            ) : (
              <ActButtons acts={timerActs(timer, nowMs)} label={words().player.actions} />
            )}
          </section>
          {thing ? (
            <Explanation of={thing} />
          ) : (
            <Panel title={words().why.title}>
              <p>{texts().dueBecause}</p>
            </Panel>
          )}
          {audit.length > 0 ? (
            <Panel title={texts().history}>
              <AuditTable entries={audit} />
            </Panel>
          ) : undefined}
        </>
      )}
    </Shown>
  </>
);

interface TimerProps {
  readonly timer: OpsTimer;
  readonly nowMs: number;
}

const TimerFacts = ({ timer, nowMs }: TimerProps) => (
  <>
    <dl class="facts">
      <Fact name={texts().state}>
        <StateMark timer={timer} />
      </Fact>
      <Fact name={texts().kind}>{timer.kind}</Fact>
      <Fact name={texts().due} dueAtMs={timer.dueAtMs}>
        <At ms={timer.dueAtMs} nowMs={nowMs} isRelative />
      </Fact>
      {timer.isPaused || timer.fireAtMs === timer.dueAtMs ? undefined : (
        <Fact name={timer.isInCall ? texts().claimedUntil : texts().fires}>
          <At ms={timer.fireAtMs} nowMs={nowMs} />
        </Fact>
      )}
      {timer.isInCall && timer.claimedAtMs !== undefined ? (
        <Fact name={texts().inCallSince}>
          <At ms={timer.claimedAtMs} nowMs={nowMs} />
        </Fact>
      ) : undefined}
      <Fact name={texts().subject}>
        <code>{shortSubject(timer)}</code>
      </Fact>
      <Fact name={texts().owner}>{timer.owner || '—'}</Fact>
      <Fact name={texts().turn}>{number(timer.turn)}</Fact>
      <Fact name={texts().attempt}>{number(timer.attempt)}</Fact>
      <Recurring timer={timer} />
      <Fact name={texts().created}>
        <At ms={timer.createdAtMs} nowMs={nowMs} />
      </Fact>
      <Fact name={texts().updated}>
        <At ms={timer.updatedAtMs} nowMs={nowMs} />
      </Fact>
    </dl>
    <Contents timer={timer} />
  </>
);

/** Empty for a timer that comes once and in time. */
const Recurring = ({ timer: { recurrence, misfire, lateness } }: Pick<TimerProps, 'timer'>) => (
  <>
    {recurrence && (
      <Fact name={texts().recurrence}>
        <code>{againText(recurrence)}</code>
      </Fact>
    )}
    {misfire && (
      <Fact name={texts().misfire}>
        <code>{JSON.stringify(misfire)}</code>
      </Fact>
    )}
    {lateness && (
      <Fact name={texts().late}>{texts().missed({ late: span(lateness.lateMs), count: number(lateness.missed) })}</Fact>
    )}
  </>
);

interface FactProps {
  readonly name: string;
  readonly dueAtMs?: number;
  readonly children: ComponentChildren;
}

const Fact = ({ name, dueAtMs, children }: FactProps) => (
  <div>
    <dt>{name}</dt>
    <dd data-due={dueAtMs}>{children}</dd>
  </div>
);

const Contents = ({ timer }: Pick<TimerProps, 'timer'>) => (
  <>
    {timer.lastError === undefined ? undefined : (
      <p class="note note-fault">
        {texts().error}: <code>{timer.lastError}</code>
      </p>
    )}
    <details class="change">
      <summary>{texts().payload}</summary>
      <pre>{pretty(timer.payload)}</pre>
    </details>
    {timer.result === undefined || timer.result === null ? undefined : (
      <details class="change">
        <summary>{texts().result}</summary>
        <pre>{pretty(timer.result)}</pre>
      </details>
    )}
  </>
);
