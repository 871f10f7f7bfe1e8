import { useRef, useState } from 'preact/hooks';
import { Icon } from '../../client/look/icons.tsx';
import type { OpsRules } from '../../shared/ops/ops-rules.ts';
import { ActButtons } from '../acts/act-buttons.tsx';
import { FaultNote, Panel } from '../parts/states.tsx';
import { useSession } from '../session/use-session.ts';
import { DifferencesTable } from './differences.tsx';
import { draftOf } from './drafts.ts';
import { placeIn } from './place-in.ts';
import { replaceAct } from './rules-acts.ts';
import { texts } from './rules-words.ts';
import { type Checked, useCheck } from './use-check.ts';

interface Props {
  readonly rules: OpsRules;
  /** The version in force when they were read. */
  readonly inForce: number;
}

/** Rules as JSON: their faults, their differences, and the change. */
export const RulesEditor = ({ rules, inForce }: Props) => {
  const { module, version } = rules;
  const session = useSession();
  const [written] = useState(() => JSON.stringify(rules.config, undefined, 2));
  const draft = draftOf(session.me.value?.name, module, version);
  const [text, setText] = useState(draft.read() ?? written);
  const write = (next: string): void => {
    if (next === written) draft.drop();
    else draft.write(next);
    setText(next);
  };
  const { isBusy, of, check } = useCheck(module, inForce);
  const checked = of(text);
  const area = useRef<HTMLTextAreaElement>(null);
  const config = checked?.kind === 'differences' ? checked.config : undefined;
  const act = replaceAct({ module, version: inForce }, config, draft.drop);
  const mayWrite = session.mayUse('replaceRules');
  const isNew = checked?.kind === 'differences' && checked.differences.length > 0;
  return (
    <Panel title={texts().text} hint={texts().show({ version })}>
      <div class="rules-columns">
        <form
          class="rules-edit"
          onSubmit={(event) => {
            event.preventDefault();
            if (!isBusy) void check(text);
          }}
        >
          <textarea
            ref={area}
            class="rules-text"
            name="rules"
            aria-label={texts().text}
            rows={24}
            spellcheck={false}
            autocomplete="off"
            readOnly={!mayWrite}
            aria-invalid={checked?.kind === 'malformed' || checked?.kind === 'faults'}
            value={text}
            onInput={({ currentTarget }) => write(currentTarget.value)}
          />
          {mayWrite ? (
            <Buttons {...{ isNew, isBusy }} onUndo={text === written ? undefined : () => write(written)} />
          ) : undefined}
        </form>
        <div class="rules-edit">
          {checked ? (
            <Found checked={checked} onGo={(path) => area.current && goToPlace(area.current, path)} />
          ) : (
            <p class="soft">{texts().checkHint}</p>
          )}
          <ActButtons acts={isNew || !mayWrite ? [act] : []} label={module} />
        </div>
      </div>
    </Panel>
  );
};

interface ButtonsProps {
  readonly isNew: boolean;
  readonly isBusy: boolean;
  /** Undefined: nothing was changed. */
  readonly onUndo: (() => void) | undefined;
}

const Buttons = ({ isNew, isBusy, onUndo }: ButtonsProps) => (
  <div class="rules-do">
    <button type="submit" class={isNew ? 'button' : 'button button-main'} disabled={isBusy}>
      {isBusy ? texts().checking : texts().check}
    </button>
    {onUndo && (
      <button type="button" class="button button-quiet" onClick={onUndo}>
        <Icon name="undo" size={16} />
        {texts().undo}
      </button>
    )}
  </div>
);

interface FoundProps {
  readonly checked: Checked;
  /** Goes to the place of a fault in the text. */
  readonly onGo: (path: string) => void;
}

const Found = ({ checked, onGo }: FoundProps) => {
  switch (checked.kind) {
    case 'malformed':
      return (
        <div class="note note-fault" role="alert">
          <Icon name="warning" />
          <p>
            <b>{texts().malformed}: </b>
            {checked.message}
          </p>
        </div>
      );
    case 'faults':
      return (
        <div class="note note-fault" role="alert">
          <div class="note-text">
            <p>
              <b>{texts().faults({ count: checked.faults.length })}</b>
            </p>
            <ul class="rules-faults">
              {checked.faults.map((fault) => (
                <FaultLine key={fault} fault={fault} onGo={onGo} />
              ))}
            </ul>
          </div>
        </div>
      );
    case 'differences':
      return (
        <div class="rules-found" role="status">
          {checked.differences.length === 0 ? (
            <p class="good">
              <Icon name="check" size={16} />
              {texts().same}
            </p>
          ) : (
            <>
              <h3>{texts().differences({ count: checked.differences.length })}</h3>
              <DifferencesTable differences={checked.differences} />
            </>
          )}
        </div>
      );
    case 'unanswered':
      return <FaultNote fault={checked.fault} />;
    default:
      return checked satisfies never;
  }
};

/** `path: what is wrong`. */
const FaultLine = ({ fault, onGo }: { readonly fault: string } & Pick<FoundProps, 'onGo'>) => {
  const at = fault.indexOf(': ');
  const path = fault.slice(0, Math.max(0, at));
  return (
    <li data-fault={path}>
      <button type="button" class="rules-place" title={texts().goTo} onClick={() => onGo(path)}>
        <code>{path}</code>
      </button>{' '}
      {fault.slice(at < 0 ? 0 : at + 2)}
    </li>
  );
};

/** Shows some lines before the place, too. */
const LINES_BEFORE = 4;

const goToPlace = (area: HTMLTextAreaElement, path: string): void => {
  const { start, end } = placeIn(area.value, path) ?? { start: 0, end: 0 };
  const lineHeight = area.scrollHeight / area.value.split('\n').length;
  area.focus();
  area.setSelectionRange(start, end);
  area.scrollTop = (area.value.slice(0, start).split('\n').length - LINES_BEFORE) * lineHeight;
};
