import { timerStates } from '../../shared/ops/acts.ts';
import { Empty, Shown } from '../parts/states.tsx';
import { TimerTable } from '../parts/timer-table.tsx';
import { goTo, hrefOf, place } from '../session/route.ts';
import { useAnswer } from '../session/use-session.ts';
import { number } from '../words/formats.ts';
import { words } from '../words/words.ts';

const texts = () => words().timers;
const EVERY_MS = 10_000;

/** The address contains the filter, so that an operator can send the list to a colleague. */
export const TimersPage = () => {
  const { query } = place.value;
  const list = useAnswer('timers', {}, query, EVERY_MS);
  return (
    <>
      <h1>{texts().title}</h1>
      <Filter key={JSON.stringify(query)} query={query} />
      <Shown of={list}>
        {({ timers, count, countedTo, next, nowMs }) => (
          <section class="panel" aria-label={texts().title}>
            <p class="count">
              <b data-count={count}>{texts().count({ count: number(count, countedTo) })}</b>{' '}
              <span class="soft">{texts().shown({ shown: number(timers.length) })}</span>
            </p>
            {timers.length === 0 ? (
              <Empty title={texts().empty} hint={texts().emptyHint} />
            ) : (
              <TimerTable timers={timers} nowMs={nowMs} />
            )}
            <p class="pages">
              {query.after === undefined ? undefined : (
                <a class="button" href={hrefOf(['timers'], { ...query, after: undefined })}>
                  {texts().first}
                </a>
              )}
              {next === undefined ? undefined : (
                <a class="button" href={hrefOf(['timers'], { ...query, after: next })}>
                  {texts().next}
                </a>
              )}
            </p>
          </section>
        )}
      </Shown>
    </>
  );
};

type Query = Readonly<Record<string, string>>;

const Filter = ({ query }: { readonly query: Query }) => {
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    goTo(hrefOf(['timers'], queryOf(new FormData(event.currentTarget), query)));
  };
  return (
    <form class="panel filter" onSubmit={submit}>
      <label class="field">
        <span>{texts().state}</span>
        <select name="state">
          {timerStates.map((state) => (
            <option key={state} value={state} selected={state === query.state}>
              {texts().states[state]}
            </option>
          ))}
        </select>
      </label>
      {(['kind', 'owner'] as const).map((name) => (
        <label class="field" key={name}>
          <span>{texts()[name]}</span>
          <input name={name} type="text" autocomplete="off" spellcheck={false} defaultValue={query[name]} />
        </label>
      ))}
      {(['from', 'to'] as const).map((name) => (
        <label class="field" key={name}>
          <span>{texts()[name]}</span>
          <input name={`${name}Ms`} type="datetime-local" step="1" defaultValue={localOf(query[`${name}Ms`])} />
        </label>
      ))}
      <label class="check">
        <input name="failed" type="checkbox" value="true" defaultChecked={query.failed === 'true'} />
        <span>{texts().failed}</span>
      </label>
      <div class="filter-go">
        <button type="submit" class="button button-main">
          {texts().filter}
        </button>
        <a class="button button-quiet" href={hrefOf(['timers'])}>
          {texts().clear}
        </a>
      </div>
      {query.error === undefined ? undefined : (
        <p class="soft filter-error">
          {texts().error}: <code>{query.error}</code>
        </p>
      )}
    </form>
  );
};

const queryOf = (given: FormData, before: Query) => {
  const text = (name: string): string | undefined => String(given.get(name) ?? '').trim() || undefined;
  const instant = (name: 'fromMs' | 'toMs'): number | string | undefined => {
    const local = text(name);
    if (local === undefined) return undefined;
    const atMs = new Date(local).getTime();
    // The field has neither milliseconds nor the second half of a repeated hour: an untouched one retains them.
    return new Date(localOf(before[name]) ?? '').getTime() === atMs ? before[name] : atMs;
  };
  return {
    state: text('state'),
    kind: text('kind'),
    owner: text('owner'),
    failed: text('failed'),
    error: before.error,
    fromMs: instant('fromMs'),
    toMs: instant('toMs'),
  };
};

/** The value of `datetime-local`: local time without a zone. None for an address with another text. */
const localOf = (atMs: string | undefined): string | undefined => {
  const at = new Date(Number(atMs));
  if (Number.isNaN(at.getTime())) return undefined;
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
};
