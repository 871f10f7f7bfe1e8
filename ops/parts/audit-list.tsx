import type { OpsAudit } from '../../shared/ops/ops-timer.ts';
import { hrefOf, place, playerHref, timerHref } from '../session/route.ts';
import { useAnswer } from '../session/use-session.ts';
import { words } from '../words/words.ts';
import { At, Empty, Panel, Shown } from './states.tsx';

const texts = () => words().audit;

/** Operators' acts on one target, or on all. */
export const AuditList = ({ target }: { readonly target?: string | undefined }) => {
  const { parts, query } = place.value;
  const { before } = query;
  return (
    <Panel title={texts().title} hint={texts().hint}>
      <Shown of={useAnswer('audit', {}, { target, before }, 10_000)}>
        {({ entries, nextBefore }) => (
          <>
            {entries.length === 0 ? <Empty title={texts().empty} /> : <AuditTable entries={entries} />}
            <p class="pages">
              {before === undefined ? undefined : (
                <a class="button" href={hrefOf(parts, { ...query, before: undefined })}>
                  {texts().newest}
                </a>
              )}
              {nextBefore === undefined ? undefined : (
                <a class="button" href={hrefOf(parts, { ...query, before: nextBefore })}>
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

export const AuditTable = ({ entries }: { readonly entries: readonly OpsAudit[] }) => (
  <table class="table">
    <thead>
      <tr>
        <th scope="col">{texts().at}</th>
        <th scope="col">{texts().actor}</th>
        <th scope="col">{texts().action}</th>
        <th scope="col">{texts().target}</th>
        <th scope="col">{texts().reason}</th>
      </tr>
    </thead>
    <tbody>
      {entries.map((entry) => (
        <tr key={entry.id} data-audit={entry.action}>
          <td data-label={texts().at}>
            <At ms={entry.atMs} />
          </td>
          <td data-label={texts().actor}>{entry.actor}</td>
          <td data-label={texts().action}>{entry.action}</td>
          <td data-label={texts().target}>
            <Target target={entry.target} />
          </td>
          <td data-label={texts().reason}>
            <div>
              {words().quoted({ text: entry.reason })}
              <Change entry={entry} />
            </div>
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);

const Target = ({ target }: { readonly target: string }) => {
  const at = target.indexOf(':');
  const id = target.slice(at + 1);
  const href = {
    player: playerHref,
    timer: timerHref,
    job: (jobId: string) => hrefOf(['jobs', jobId]),
    rules: (module: string) => hrefOf(['rules', module]),
  };
  const type = target.slice(0, Math.max(0, at));
  return Object.hasOwn(href, type) ? (
    <a href={href[type as keyof typeof href](id)}>{target}</a>
  ) : (
    <span class="target">{target}</span>
  );
};

/** One whole entry, as shown after a write. */
export const AuditEntry = ({ entry }: { readonly entry: OpsAudit }) => (
  <section class="audit-entry" aria-label={words().audit.entry}>
    <h3>{words().audit.entry}</h3>
    <p>
      <b>{entry.actor}</b> {entry.action} <code>{entry.target}</code> <At ms={entry.atMs} />
    </p>
    <p class="soft">{words().quoted({ text: entry.reason })}</p>
    <Change entry={entry} />
  </section>
);

const Change = ({ entry: { before, after } }: { readonly entry: OpsAudit }) => (
  <details class="change">
    <summary>{words().audit.change}</summary>
    <pre>{pretty(before)}</pre>
    <pre>{pretty(after)}</pre>
  </details>
);

export const pretty = (value: unknown): string => (value === undefined ? '—' : JSON.stringify(value, undefined, 1));
