import { useState } from 'preact/hooks';
import { Icon } from '../../client/look/icons.tsx';
import type { OpsRules } from '../../shared/ops/ops-rules.ts';
import { ActButtons } from '../acts/act-buttons.tsx';
import { FaultNote, Panel } from '../parts/states.tsx';
import { useSession } from '../session/use-session.ts';
import { DifferencesTable } from './differences.tsx';
import { replaceAct } from './rules-acts.ts';
import { texts } from './rules-words.ts';
import { type Checked, useCheck } from './use-check.ts';

interface Props {
  readonly rules: OpsRules;
  /** The version in force when they were read. */
  readonly inForce: number;
}

/** Rules as JSON: what is wrong with them, what they would change, and the change. */
export const RulesEditor = ({ rules: { module, version, config }, inForce }: Props) => {
  const session = useSession();
  const [written] = useState(() => JSON.stringify(config, undefined, 2));
  const [text, setText] = useState(written);
  const { isBusy, of, check } = useCheck(module, inForce);
  const checked = of(text);
  const act = replaceAct({ module, version: inForce }, checked?.kind === 'differences' ? checked.config : undefined);
  const mayWrite = session.mayUse('replaceRules');
  const isNew = checked?.kind === 'differences' && checked.differences.length > 0;
  return (
    <Panel title={texts().text} hint={texts().textHint({ version })}>
      <div class="rules-columns">
        <form
          class="rules-edit"
          onSubmit={(event) => {
            event.preventDefault();
            if (!isBusy) void check(text);
          }}
        >
          <textarea
            class="rules-text"
            name="rules"
            aria-label={texts().text}
            rows={24}
            spellcheck={false}
            autocomplete="off"
            readOnly={!mayWrite}
            aria-invalid={checked?.kind === 'malformed' || checked?.kind === 'faults'}
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
          {mayWrite ? (
            <div class="rules-do">
              <button type="submit" class={isNew ? 'button' : 'button button-main'} disabled={isBusy}>
                {isBusy ? texts().checking : texts().check}
              </button>
              {text === written ? undefined : (
                <button type="button" class="button button-quiet" onClick={() => setText(written)}>
                  <Icon name="undo" size={16} />
                  {texts().undo}
                </button>
              )}
            </div>
          ) : undefined}
        </form>
        <div class="rules-edit">
          {checked ? <Found checked={checked} /> : <p class="soft">{texts().checkHint}</p>}
          {isNew || !mayWrite ? <ActButtons acts={[act]} label={module} /> : undefined}
        </div>
      </div>
    </Panel>
  );
};

const Found = ({ checked }: { readonly checked: Checked }) => {
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
                <FaultLine key={fault} fault={fault} />
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
const FaultLine = ({ fault }: { readonly fault: string }) => {
  const at = fault.indexOf(': ');
  return (
    <li data-fault={fault.slice(0, Math.max(0, at))}>
      <code>{fault.slice(0, Math.max(0, at))}</code> {fault.slice(at < 0 ? 0 : at + 2)}
    </li>
  );
};
