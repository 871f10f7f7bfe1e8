import { ActButtons } from '../acts/act-buttons.tsx';
import { At, Mark, Panel, Shown } from '../parts/states.tsx';
import { hrefOf, place } from '../session/route.ts';
import { useAnswer, useSession } from '../session/use-session.ts';
import { words } from '../words/words.ts';
import { draftOf } from './drafts.ts';
import { rollBackAct } from './rules-acts.ts';
import { texts } from './rules-words.ts';

/** The versions of a module's rules, newest first. */
export const RulesHistory = ({ module, version: inForce }: { readonly module: string; readonly version: number }) => {
  const { query } = place.value;
  const operator = useSession().me.value?.name;
  return (
    <Panel title={texts().history}>
      <Shown of={useAnswer('rulesHistory', { module }, { before: query.before })}>
        {({ versions, nextBefore }) => (
          <>
            <table class="table">
              <thead>
                <tr>
                  <th scope="col">{texts().version}</th>
                  <th scope="col">{texts().at}</th>
                  <th scope="col">{texts().by}</th>
                  <th scope="col">{texts().reason}</th>
                  <td />
                </tr>
              </thead>
              <tbody>
                {versions.map(({ version, atMs, by, source, reason }) => (
                  <tr key={version} data-version={version}>
                    <td data-label={texts().version}>
                      <a href={hrefOf(['rules', module], { ...query, at: version })}>{version}</a>{' '}
                      {version === inForce ? <Mark tone="leaf">{texts().inForce}</Mark> : undefined}{' '}
                      {draftOf(operator, module, version).read() === undefined ? undefined : (
                        <Mark tone="honey">{texts().typed}</Mark>
                      )}
                    </td>
                    <td data-label={texts().at}>
                      <At ms={atMs} />
                    </td>
                    <td data-label={texts().by}>
                      <By by={by} source={source} />
                    </td>
                    <td data-label={texts().reason}>{words().quoted({ text: reason })}</td>
                    <td>
                      {version === inForce ? undefined : (
                        <ActButtons
                          acts={[rollBackAct({ module, version: inForce }, version)]}
                          label={texts().show({ version })}
                          isQuiet
                        />
                      )}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
            <Pages module={module} nextBefore={nextBefore} />
          </>
        )}
      </Shown>
    </Panel>
  );
};

interface PagesProps {
  readonly module: string;
  readonly nextBefore: number | undefined;
}

const Pages = ({ module, nextBefore }: PagesProps) => {
  const { query } = place.value;
  return (
    <p class="pages">
      {query.before === undefined ? undefined : (
        <a class="button" href={hrefOf(['rules', module], { ...query, before: undefined })}>
          {texts().newest}
        </a>
      )}
      {nextBefore === undefined ? undefined : (
        <a class="button" href={hrefOf(['rules', module], { ...query, before: nextBefore })}>
          {texts().earlier}
        </a>
      )}
    </p>
  );
};

interface ByProps {
  readonly by: string;
  readonly source: 'file' | 'operator';
}

export const By = ({ by, source }: ByProps) => (
  <span title={texts().sourceHint[source]}>{source === 'file' ? <Mark tone="sky">{texts().file}</Mark> : by}</span>
);
