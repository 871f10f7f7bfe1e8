import { useState } from 'preact/hooks';
import { Icon } from '../../client/look/icons.tsx';
import type { OpsRulesOfModule } from '../../shared/ops/ops-rules.ts';
import { At, Empty, Mark, Panel, Shown } from '../parts/states.tsx';
import { hrefOf, place } from '../session/route.ts';
import { type Loaded, useAnswer, useSession } from '../session/use-session.ts';
import { words } from '../words/words.ts';
import { draftOf } from './drafts.ts';
import { RulesEditor } from './rules-editor.tsx';
import { By, RulesHistory } from './rules-history.tsx';
import { texts } from './rules-words.ts';

export interface RulesPageProps {
  /** Undefined: all modules. */
  readonly module: string | undefined;
}

const EVERY_MS = 3000;

/** The rules of modules; for one module its rules, their history, and a change. */
export const RulesPage = ({ module }: RulesPageProps) => {
  const loaded = useAnswer('rules', {}, {}, EVERY_MS);
  return module === undefined ? <AllRules loaded={loaded} /> : <ModuleRules module={module} loaded={loaded} />;
};

interface LoadedProps {
  readonly loaded: Loaded<{ readonly modules: readonly OpsRulesOfModule[] }>;
}

const AllRules = ({ loaded }: LoadedProps) => (
  <>
    <p class="soft">{texts().hint}</p>
    <Shown of={loaded}>
      {({ modules }) =>
        modules.length === 0 ? (
          <Empty title={texts().empty} />
        ) : (
          <>
            {modules.map((one) => (
              <Notes key={one.module} rules={one} isNamed />
            ))}
            <Panel title={words().nav.rules}>
              <table class="table">
                <thead>
                  <tr>
                    <th scope="col">{texts().module}</th>
                    <th scope="col">{texts().version}</th>
                    <th scope="col">{texts().at}</th>
                    <th scope="col">{texts().by}</th>
                    <th scope="col">{texts().reason}</th>
                  </tr>
                </thead>
                <tbody>
                  {modules.map(({ module, version, atMs, by, source, reason }) => (
                    <tr key={module} data-rules={module}>
                      <td data-label={texts().module}>
                        <a href={hrefOf(['rules', module])}>
                          <b>{module}</b>
                        </a>
                      </td>
                      <td data-label={texts().version}>
                        <Mark tone="leaf">{version}</Mark>
                      </td>
                      <td data-label={texts().at}>
                        <At ms={atMs} isRelative />
                      </td>
                      <td data-label={texts().by}>
                        <By by={by} source={source} />
                      </td>
                      <td data-label={texts().reason}>{words().quoted({ text: reason })}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </Panel>
          </>
        )
      }
    </Shown>
  </>
);

const ModuleRules = ({ module, loaded }: LoadedProps & { readonly module: string }) => {
  const { at } = place.value.query;
  const rules = useAnswer('rulesOf', { module }, { version: at });
  const [loads, setLoads] = useState(0);
  const newest = loaded.answer?.modules.find((one) => one.module === module);
  // The version in force when they were read: an operator must see a later change of others first.
  const inForce = rules.answer?.isInForce ? rules.answer.version : newest?.version;
  const operator = useSession().me.value?.name;
  const load = (): void => {
    if (rules.answer) draftOf(operator, module, rules.answer.version).drop();
    setLoads(loads + 1);
    rules.again();
  };
  const isBehind = newest !== undefined && inForce !== undefined && newest.version > inForce;
  return (
    <>
      <p>
        <a href={hrefOf(['rules'])}>{texts().all}</a>
      </p>
      {newest ? <Notes rules={newest} /> : undefined}
      {isBehind ? (
        <div class="note" role="status">
          <p>{texts().newer(newest)}</p>
          <a class="button" href={hrefOf(['rules', module])} onClick={load}>
            {texts().load}
          </a>
        </div>
      ) : undefined}
      <Shown of={rules}>
        {(answer) =>
          inForce === undefined ? undefined : (
            <>
              {answer.version < inForce ? (
                <p>
                  {texts().older({ version: inForce })} <a href={hrefOf(['rules', module])}>{texts().toNewest}</a>
                </p>
              ) : undefined}
              <RulesEditor key={`${answer.version} ${loads}`} rules={answer} inForce={inForce} />
              <RulesHistory key={loads} module={module} version={newest?.version ?? inForce} />
            </>
          )
        }
      </Shown>
    </>
  );
};

interface NotesProps {
  readonly rules: OpsRulesOfModule;
  /** Shown among other modules. */
  readonly isNamed?: boolean;
}

/** Problems on the responding server. */
const Notes = ({ rules, isNamed = false }: NotesProps) => {
  const { module, version, isUnreadable, isFileWaiting } = rules;
  const notes = [
    ...(isUnreadable ? [texts().isUnreadable({ version })] : []),
    ...(isFileWaiting ? [texts().isFileWaiting] : []),
  ];
  return (
    <>
      {notes.map((note) => (
        <div key={note} class={isUnreadable ? 'note note-fault' : 'note'} role="alert">
          <Icon name="warning" />
          <p>
            {isNamed ? <b>{module}: </b> : undefined}
            {note}
          </p>
        </div>
      ))}
    </>
  );
};
