import type { ComponentChildren } from 'preact';
import { Icon } from '../../client/look/icons.tsx';
import type { OpsExplanation, OpsStep } from '../../shared/ops/ops-explanation.ts';
import { factsText, thingText } from '../words/event-text.ts';
import { brief, exactInstant, signed } from '../words/formats.ts';
import { words } from '../words/words.ts';
import { sumOf } from './ledger.ts';
import { At, Mark, Panel, Written } from './states.tsx';

const texts = () => words().why;

interface Props {
  readonly of: OpsExplanation;
  /** The acts on it. */
  readonly acts?: ComponentChildren;
}

/** The log entries behind a due time, as a ledger: each event, the sum, and the due time after it. */
export const Explanation = ({ of, acts }: Props) => {
  const { thing, title, state, dueAtMs, waitingSinceMs, timerDueAtMs, isConsistent, isCut, steps, nowMs } = of;
  const last = steps.at(-1);
  const effectMs = steps.reduce((sum, step) => sum + step.effectMs, 0);
  return (
    <>
      <section class="panel verdict" aria-label={texts().due}>
        <p class="soft">{texts().of({ name: title ?? thing, state: texts().states[state] })}</p>
        <p class="verdict-due">
          {verdictOf(of)} {last ? <At ms={dueAtMs ?? waitingSinceMs ?? last.at} nowMs={nowMs} isRelative /> : undefined}{' '}
          {dueAtMs !== undefined && dueAtMs <= nowMs ? <Mark tone="danger">{texts().overdue}</Mark> : undefined}
        </p>
        {isConsistent ? (
          <p class="good">
            <Icon name="check" size={16} />
            {dueAtMs === undefined ? texts().noTimer : texts().agrees}
          </p>
        ) : (
          <p class="note note-fault" role="alert">
            <Icon name="warning" />
            {texts().differs({ log: maybe(dueAtMs, nowMs), row: maybe(timerDueAtMs, nowMs) })}
          </p>
        )}
        {isCut ? <p class="soft">{texts().cut}</p> : undefined}
        {acts}
      </section>
      {steps.length === 0 ? undefined : (
        <Panel title={texts().step} hint={texts().total({ effect: signed(effectMs) })}>
          <ol class="ledger">
            {steps.map((step) => (
              <Step key={step.seq} step={step} module={of.module} nowMs={nowMs} />
            ))}
          </ol>
        </Panel>
      )}
    </>
  );
};

const verdictOf = ({ state }: OpsExplanation): string => {
  if (state === 'running') return texts().due;
  if (state === 'resting') return texts().neverDue;
  return state === 'waiting' ? texts().waits : texts().ended;
};

interface StepProps {
  readonly step: OpsStep;
  readonly module: string;
  readonly nowMs: number;
}

const Step = ({ step, module, nowMs }: StepProps) => {
  const sum = sumOf(step, nowMs);
  return (
    <li class="step" data-step={step.type}>
      <div class="step-at">
        <span class="seq soft">#{step.seq}</span> <At ms={step.at} nowMs={nowMs} />
      </div>
      <div class="step-what">
        <p>
          {textOf(step, module, nowMs)} <Written ms={step.readAtMs} nowMs={nowMs} />
        </p>
        {sum ? <p class="sum">{sum}</p> : undefined}
      </div>
      <div class={`step-effect${step.effectMs < 0 ? ' sooner' : step.effectMs > 0 ? ' later' : ''}`}>
        {step.dueBeforeMs === undefined || step.dueAfterMs === undefined ? '' : effectOf(step.effectMs)}
      </div>
      <div class="step-due">{step.dueAfterMs === undefined ? '' : <At ms={step.dueAfterMs} nowMs={nowMs} />}</div>
    </li>
  );
};

const effectOf = (ms: number): string => (ms === 0 ? texts().unchanged : `${ms < 0 ? '−' : '+'}${brief(ms)}`);

const maybe = (ms: number | undefined, nowMs: number): string =>
  ms === undefined ? words().none : exactInstant(ms, nowMs);

const textOf = ({ type, facts }: OpsStep, module: string, nowMs: number): string =>
  type === 'kept' ? texts().kept({ thing: thingText(module, facts, nowMs) }) : factsText(type, facts, nowMs);
