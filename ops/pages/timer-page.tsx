import type { OpsTimer } from '../../shared/ops/ops-timer.ts';
import { ActButtons } from '../acts/act-buttons.tsx';
import { timerActs } from '../acts/timer-acts.ts';
import { pretty } from '../parts/audit-entry.tsx';
import { AuditTable } from '../parts/audit-list.tsx';
import { Explanation } from '../parts/explanation.tsx';
import { At, Panel, Shown } from '../parts/states.tsx';
import { StateMark } from '../parts/timer-table.tsx';
import { playerHref } from '../session/route.ts';
import { useAnswer } from '../session/use-session.ts';
import { number } from '../words/formats.ts';
import { words } from '../words/words.ts';

const texts = () => words().timers;
const EVERY_MS = 5000;

/** Why a timer is due when it is: of a feeding its ledger, of another what is known and who changed it. */
export const TimerPage = ({ timerId }: { readonly timerId: string }) => (
  <>
    <h1 class="id-title">
      <span class="soft">{texts().about}</span> {timerId}
    </h1>
    <Shown of={useAnswer('explainTimer', { timerId }, {}, EVERY_MS)}>
      {({ timer, feeding, audit, nowMs }) => (
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
          {feeding ? (
            <Explanation of={feeding} />
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

const TimerFacts = ({ timer, nowMs }: { readonly timer: OpsTimer; readonly nowMs: number }) => (
  <>
    <dl class="facts">
      <div>
        <dt>{texts().state}</dt>
        <dd>
          <StateMark timer={timer} />
        </dd>
      </div>
      <div>
        <dt>{texts().kind}</dt>
        <dd>{timer.kind}</dd>
      </div>
      <div>
        <dt>{texts().due}</dt>
        <dd data-due={timer.dueAtMs}>
          <At ms={timer.dueAtMs} nowMs={nowMs} isRelative />
        </dd>
      </div>
      {timer.fireAtMs === timer.dueAtMs ? undefined : (
        <div>
          <dt>{timer.isInCall ? texts().claimedUntil : texts().fires}</dt>
          <dd>
            <At ms={timer.fireAtMs} nowMs={nowMs} />
          </dd>
        </div>
      )}
      <div>
        <dt>{texts().subject}</dt>
        <dd>
          <code>{timer.subject}</code>
        </dd>
      </div>
      <div>
        <dt>{texts().owner}</dt>
        <dd>{timer.owner || '—'}</dd>
      </div>
      <div>
        <dt>{texts().attempt}</dt>
        <dd>{number(timer.attempt)}</dd>
      </div>
      <div>
        <dt>{texts().created}</dt>
        <dd>
          <At ms={timer.createdAtMs} nowMs={nowMs} />
        </dd>
      </div>
      <div>
        <dt>{texts().updated}</dt>
        <dd>
          <At ms={timer.updatedAtMs} nowMs={nowMs} />
        </dd>
      </div>
    </dl>
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
