import type { ComponentChildren } from 'preact';
import { Icon } from '../../client/look/icons.tsx';
import { fieldsText } from '../../shared/ops/fill-words.ts';
import type { AskFault } from '../session/ask.ts';
import { type Loaded, useSession } from '../session/use-session.ts';
import { fullInstant, instant, relative } from '../words/formats.ts';
import { formatsAt, moduleWords } from '../words/module-words.ts';
import { words } from '../words/words.ts';

/** An answer, or why it is missing: loading, a fault with its remedy, or an old answer with a mark. */
export const Shown = <Answer,>({
  of: { answer, fault, again },
  children,
}: {
  readonly of: Loaded<Answer>;
  readonly children: (answer: Answer) => ComponentChildren;
}) => {
  if (answer === undefined) {
    return fault ? <FaultNote fault={fault} onAgain={again} /> : <p class="loading">{words().loading}</p>;
  }
  return (
    <>
      {fault ? <FaultNote fault={fault} onAgain={again} title={words().stale} /> : undefined}
      {children(answer)}
    </>
  );
};

interface FaultNoteProps {
  readonly fault: AskFault;
  readonly title?: string;
  readonly onAgain?: () => void;
}

/** The code, for a request for help, the remedy, and the facts: of what, and why. */
export const FaultNote = ({ fault, title, onAgain }: FaultNoteProps) => {
  const told = words().faults[fault.code] ?? moduleWords.value.refusal(fault.code);
  // Faults of rules and the id of an unknown outcome are shown where they belong.
  const { faults: _faults, commandId: _id, ...params } = fault.params;
  const facts = fieldsText(params, formatsAt(useSession().heardAtMs()));
  return (
    <div class="note note-fault" role="alert">
      <Icon name={fault.status === 0 ? 'offline' : 'warning'} />
      <div class="note-text">
        <p>
          {title ? <b>{title}. </b> : undefined}
          {told ?? fault.message}
        </p>
        <p class="soft">
          <code>{fault.code}</code>
          {told && fault.message && fault.message !== told ? ` · ${fault.message}` : undefined}
          {facts && ` · ${facts}`}
        </p>
      </div>
      {onAgain ? (
        <button type="button" class="button" onClick={onAgain}>
          {words().again}
        </button>
      ) : undefined}
    </div>
  );
};

export const Empty = ({ title, hint }: { readonly title: string; readonly hint?: string }) => (
  <div class="empty">
    <Icon name="bowl" size={28} />
    <p>{title}</p>
    {hint ? <p class="soft">{hint}</p> : undefined}
  </div>
);

interface AtProps {
  readonly ms: number;
  /** The time of the answer, if it has one. */
  readonly nowMs?: number;
  readonly isRelative?: boolean;
}

/** An instant, with milliseconds in its tooltip. */
export const At = ({ ms, nowMs: givenMs, isRelative = false }: AtProps) => {
  const session = useSession();
  const nowMs = givenMs ?? session.heardAtMs();
  return (
    <span class="at">
      <time dateTime={new Date(ms).toISOString()} title={fullInstant(ms)}>
        {instant(ms, nowMs)}
      </time>
      {isRelative ? <span class="soft"> {relative(ms, nowMs)}</span> : undefined}
    </span>
  );
};

/** The clock reading at the write of an entry, if it differs from the entry's own time. */
export const Written = ({ ms, nowMs }: { readonly ms: number | undefined; readonly nowMs: number }) =>
  ms === undefined ? undefined : (
    <span class="soft">
      {words().log.written} <At ms={ms} nowMs={nowMs} />
    </span>
  );

export const Mark = ({ tone, children }: { readonly tone: string; readonly children: ComponentChildren }) => (
  <span class={`mark mark-${tone}`}>{children}</span>
);

interface PanelProps {
  readonly title: string;
  readonly hint?: string | undefined;
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
}

export const Panel = ({ title, hint, aside, children }: PanelProps) => (
  <section class="panel" aria-label={title}>
    <header class="panel-head">
      <div>
        <h2>{title}</h2>
        {hint ? <p class="soft">{hint}</p> : undefined}
      </div>
      {aside}
    </header>
    {children}
  </section>
);
