import { useEffect, useRef, useState } from 'preact/hooks';
import { Dialog } from '../../client/look/dialog.tsx';
import { Icon } from '../../client/look/icons.tsx';
import { AuditEntry } from '../parts/audit-list.tsx';
import { FaultNote } from '../parts/states.tsx';
import { goTo } from '../session/route.ts';
import { useSession } from '../session/use-session.ts';
import { words } from '../words/words.ts';
import type { Act, Values } from './act.ts';
import { FieldOf, presetsOf } from './fields.tsx';
import { type Stage, useAct } from './use-act.ts';

/** The server's rule for a reason, without counting spaces around it. */
const REASON = '\\s*\\S.+\\S\\s*';

/** Asks for an act's inputs, previews it, does it, and shows its entry in the audit. */
export const ActDialog = ({ act, onClose }: { readonly act: Act; readonly onClose: () => void }) => {
  const session = useSession();
  const [values, setValues] = useState<Values>(() => presetsOf(act.fields));
  const [reason, setReason] = useState('');
  const [typed, setTyped] = useState('');
  const { stage, isBusy, fault, answer, entry, preview, perform, toForm } = useAct(act);
  // The act may have refused a repetition (404, 409): then the outcome is known.
  const isUnknown = stage === 'unknown' && fault?.status !== 404 && fault?.status !== 409;
  const submit = (event: Event): void => {
    event.preventDefault();
    if (isBusy) return;
    if (stage === 'form') void preview(values, reason.trim());
    else if (stage !== 'done') void perform();
  };
  const close = (): void => {
    onClose();
    const href = stage === 'done' ? act.leadsTo?.(answer) : undefined;
    if (href !== undefined) goTo(href);
    if (stage === 'done') act.onDone?.();
    // A request without a reply may have been done as well.
    if (stage === 'done' || stage === 'unknown') session.wrote();
  };
  const isTyped = act.mustType === undefined || typed === act.mustType;
  return (
    // What is being done has an outcome to show.
    <Dialog title={act.words.title} onClose={close} isHeld={isBusy && stage !== 'form'}>
      <p class="act-on">{act.on}</p>
      <form class="act" onSubmit={submit}>
        {/* The form stays behind the preview, so that going back shows the inputs again. */}
        <div class="act-form" hidden={stage !== 'form'}>
          <p class="soft">{act.words.about}</p>
          {act.fields.map((field) => (
            <FieldOf
              key={field.name}
              field={field}
              value={values[field.name]}
              onChange={(value) => setValues((before) => ({ ...before, [field.name]: value }))}
            />
          ))}
          <ReasonField reason={reason} onChange={setReason} />
        </div>
        {stage === 'form' ? undefined : <Told act={act} answer={answer} stage={stage} />}
        {stage === 'preview' && act.mustType !== undefined ? (
          <ConfirmField mustType={act.mustType} typed={typed} onChange={setTyped} />
        ) : undefined}
        {isUnknown ? <UnknownNote code={fault?.code} /> : undefined}
        {fault && !isUnknown ? <FaultNote fault={fault} /> : undefined}
        {stage === 'done' && entry ? <AuditEntry entry={entry} /> : undefined}
        <Buttons act={act} stage={stage} isBusy={isBusy} isTyped={isTyped} onBack={toForm} onClose={close} />
      </form>
    </Dialog>
  );
};

interface TextProps {
  readonly onChange: (text: string) => void;
}

const ReasonField = ({ reason, onChange }: TextProps & { readonly reason: string }) => (
  <label class="field">
    <span>{words().act.reason}</span>
    <input
      name="reason"
      type="text"
      required
      minLength={3}
      maxLength={500}
      pattern={REASON}
      title={words().act.reasonShort}
      autocomplete="off"
      value={reason}
      aria-describedby="reason-hint"
      onInput={({ currentTarget }) => onChange(currentTarget.value)}
    />
    <span class="soft" id="reason-hint">
      {words().act.reasonHint}
    </span>
  </label>
);

type ConfirmProps = TextProps & { readonly mustType: string; readonly typed: string };

const ConfirmField = ({ mustType, typed, onChange }: ConfirmProps) => (
  <label class="field">
    <span>{words().act.typeToConfirm({ id: mustType })}</span>
    <input
      name="confirm"
      type="text"
      autocomplete="off"
      spellcheck={false}
      value={typed}
      onInput={({ currentTarget }) => onChange(currentTarget.value)}
    />
  </label>
);

const UnknownNote = ({ code }: { readonly code: string | undefined }) => (
  <p class="note" role="alert">
    {words().act.unknown} <code>{code}</code>
  </p>
);

interface ButtonsProps {
  readonly act: Act;
  readonly stage: Stage;
  readonly isBusy: boolean;
  readonly isTyped: boolean;
  readonly onBack: () => void;
  readonly onClose: () => void;
}

const Buttons = ({ act, stage, isBusy, isTyped, onBack, onClose }: ButtonsProps) => {
  const main = useRef<HTMLButtonElement>(null);
  // The pressed button is gone, so the focus moves to the next step: from the form to the preview, which is to be read.
  useEffect(() => {
    if (stage === 'unknown' || stage === 'done') main.current?.focus();
  }, [stage]);
  if (stage === 'done') {
    return (
      <div class="dialog-actions">
        <button ref={main} type="button" class="button button-main" onClick={onClose}>
          {words().close}
        </button>
      </div>
    );
  }
  const isAsking = stage === 'form';
  return (
    <div class="dialog-actions">
      <button
        type="button"
        class="button button-quiet"
        disabled={isBusy && !isAsking}
        onClick={stage === 'preview' ? onBack : onClose}
      >
        {leaveLabel(stage)}
      </button>
      <button
        ref={main}
        type="submit"
        class={act.isDanger && !isAsking ? 'button button-danger' : 'button button-main'}
        disabled={isBusy || (!isAsking && !isTyped)}
        // A double click on "preview" must not do what it shows.
        onClick={(event) => {
          if (event.detail > 1) event.preventDefault();
        }}
      >
        {labelOf(act, stage, isBusy)}
      </button>
    </div>
  );
};

const leaveLabel = (stage: Stage): string => {
  if (stage === 'preview') return words().act.change;
  // A sent request cannot be cancelled.
  return stage === 'unknown' ? words().close : words().cancel;
};

const labelOf = (act: Act, stage: Stage, isBusy: boolean): string => {
  if (stage === 'form') return isBusy ? words().act.previewing : words().act.preview;
  if (isBusy) return words().act.doing;
  return stage === 'unknown' ? words().act.sendAgain : act.words.go;
};

interface ToldProps {
  readonly act: Act;
  readonly answer: unknown;
  readonly stage: Exclude<Stage, 'form'>;
}

const Told = ({ act, answer, stage }: ToldProps) => {
  const told = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (stage === 'preview') told.current?.focus();
  }, [stage]);
  return (
    <div ref={told} class={stage === 'done' ? 'told told-done' : 'told'} role="status" tabIndex={-1}>
      <h3>
        {stage === 'done' ? <Icon name="check" /> : undefined}
        {{ preview: words().act.willHappen, unknown: words().act.sent, done: words().act.done }[stage]}
      </h3>
      <ul>
        {act.tell(answer).map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      {stage === 'preview' ? <p class="soft">{words().act.notDone}</p> : undefined}
      {stage === 'preview' && act.isFinal ? (
        <p class="told-final">
          <Icon name="warning" size={16} />
          {words().act.cannotUndo}
        </p>
      ) : undefined}
    </div>
  );
};
