import { ActButtons } from '../acts/act-buttons.tsx';
import { reviveGroup } from '../acts/acts.ts';
import { At, Empty, Mark, Shown } from '../parts/states.tsx';
import { hrefOf } from '../session/route.ts';
import { useAnswer } from '../session/use-session.ts';
import { number } from '../words/formats.ts';
import { words } from '../words/words.ts';

const texts = () => words().failed;
/** The server lists so many. */
const MOST_GROUPS = 200;

export const FailedPage = () => (
  <>
    <h1>{texts().title}</h1>
    <p class="soft">{texts().hint}</p>
    <Shown of={useAnswer('failed', {}, {}, 10_000)}>
      {({ groups }) =>
        groups.length === 0 ? (
          <Empty title={texts().empty} hint={texts().emptyHint} />
        ) : (
          <>
            <ul class="groups">
              {groups.map((group) => (
                <li key={`${group.state} ${group.kind} ${group.error}`} class="panel group">
                  <p class="group-count">{number(group.count)}</p>
                  <div class="group-what">
                    <p>
                      <Mark tone={group.state === 'dead' ? 'danger' : 'honey'}>{texts().states[group.state]}</Mark>{' '}
                      <b>{group.kind}</b>{' '}
                      <span class="soft">
                        {texts().newest} <At ms={group.newestAtMs} />
                      </span>
                    </p>
                    <p class="group-error">{group.error || texts().noError}</p>
                  </div>
                  <div class="group-acts">
                    <a class="button" href={hrefOf(['timers'], listOf(group))}>
                      {texts().list}
                    </a>
                    {group.state === 'dead' ? <ActButtons acts={[reviveGroup(group)]} label={group.kind} /> : undefined}
                  </div>
                </li>
              ))}
            </ul>
            {groups.length < MOST_GROUPS ? undefined : <p class="soft">{texts().more}</p>}
          </>
        )
      }
    </Shown>
  </>
);

const listOf = ({ state, kind, error }: { state: string; kind: string; error: string }) =>
  state === 'dead' ? { state, kind, error, failed: 'true' } : { state: 'scheduled', kind, error, failed: 'true' };
