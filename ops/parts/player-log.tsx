import type { OpsLogEntry } from '../../shared/ops/ops-answers.ts';
import { hrefOf, place, runHref, thingHref } from '../session/route.ts';
import { EVERY_MS, useAnswer, useSession } from '../session/use-session.ts';
import { eventText } from '../words/event-text.ts';
import { number } from '../words/formats.ts';
import { words } from '../words/words.ts';
import { At, Empty, Mark, Panel, Shown, Written } from './states.tsx';

const texts = () => words().log;

/** The log, newest first; older pages have their own address. */
export const PlayerLog = ({ playerId }: { readonly playerId: string }) => {
  const nowMs = useSession().heardAtMs();
  const { beforeSeq } = place.value.query;
  const hrefBefore = (seq?: number): string => hrefOf(['players', playerId, 'log'], { beforeSeq: seq });
  return (
    <Panel title={texts().title} hint={texts().hint}>
      <Shown of={useAnswer('log', { playerId }, { beforeSeq }, beforeSeq ? undefined : EVERY_MS)}>
        {({ entries, nextBeforeSeq }) => (
          <>
            {entries.length === 0 ? <Empty title={texts().empty} /> : undefined}
            <ol class="log">
              {entries.map((entry) => (
                <Entry key={entry.event.seq} entry={entry} playerId={playerId} nowMs={nowMs} />
              ))}
            </ol>
            <p class="pages">
              {beforeSeq === undefined ? undefined : (
                <a class="button" href={hrefBefore()}>
                  {texts().newest}
                </a>
              )}
              {nextBeforeSeq === undefined ? undefined : (
                <a class="button" href={hrefBefore(nextBeforeSeq)}>
                  {texts().older}
                </a>
              )}
            </p>
          </>
        )}
      </Shown>
    </Panel>
  );
};

interface EntryProps {
  readonly entry: OpsLogEntry;
  readonly playerId: string;
  readonly nowMs: number;
}

const Entry = ({ entry, playerId, nowMs }: EntryProps) => {
  const { event, readAtMs, actor, thing } = entry;
  const href = hrefOfEntry(playerId, entry);
  return (
    <li class="log-entry" data-event={event.type}>
      <span class="seq soft">{number(event.seq)}</span>
      <At ms={event.at} nowMs={nowMs} />
      <span class="log-what">
        {thing === undefined ? undefined : <code class="soft">{thing.slice(Math.max(0, thing.lastIndexOf('~')))}</code>}{' '}
        {href !== undefined ? <a href={href}>{eventText(event, nowMs)}</a> : eventText(event, nowMs)}{' '}
        {actor === undefined ? undefined : <Mark tone="sky">{texts().byOperator({ name: actor })}</Mark>}{' '}
        <Written ms={readAtMs} nowMs={nowMs} />
      </span>
    </li>
  );
};

/** The entry's run, else its thing. */
const hrefOfEntry = (playerId: string, { module, thing, run }: OpsLogEntry): string | undefined => {
  if (module === undefined || thing === undefined) return undefined;
  return run === undefined ? thingHref(playerId, module, thing) : runHref(playerId, module, run);
};
