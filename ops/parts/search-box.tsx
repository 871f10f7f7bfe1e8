import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../../client/look/icons.tsx';
import type { OpsHit } from '../../shared/ops/ops-answers.ts';
import { after } from '../session/platform.ts';
import { goTo, hrefOf, place } from '../session/route.ts';
import { useSession } from '../session/use-session.ts';
import { words } from '../words/words.ts';
import { Hits } from './hits.tsx';

const PAUSE_MS = 180;
const FEW = '8';

/** One search box for all ids. Hits appear while the operator types; the arrow keys lead into them, Enter to all of them. */
export const SearchBox = () => {
  const box = useRef<HTMLFormElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const [q, setQ] = useState('');
  const { hits, close } = useHits(q);
  useSlash(input.current);
  const submit = (event: Event): void => {
    event.preventDefault();
    if (q.trim() === '') return;
    goTo(hrefOf(['search'], { q: q.trim() }));
    close();
  };
  const move = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      close();
      input.current?.focus();
    } else moveFocus(event, [input.current, ...(box.current?.querySelectorAll<HTMLElement>('.hits a') ?? [])]);
  };
  return (
    <form
      ref={box}
      class="search"
      onSubmit={submit}
      onKeyDown={move}
      onFocusOut={({ relatedTarget }) => {
        if (!(relatedTarget instanceof Node && box.current?.contains(relatedTarget))) close();
      }}
    >
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        aria-label={words().search.label}
        placeholder={words().search.hint}
        title={words().search.key}
        autocomplete="off"
        spellcheck={false}
        maxLength={512}
        value={q}
        onInput={({ currentTarget }) => setQ(currentTarget.value)}
      />
      <span class="slash" aria-hidden="true">
        /
      </span>
      <span class="hidden-text" role="status">
        {hits ? words().search.results({ count: hits.length }) : ''}
      </span>
      {hits ? (
        <ul class="hits">
          <Hits hits={hits} />
          {hits.length === 0 ? <li class="hits-none">{words().search.nothing({ q })}</li> : undefined}
        </ul>
      ) : undefined}
    </form>
  );
};

/** Searches a moment after the last key; undefined: no text, or the hits were closed. */
const useHits = (q: string) => {
  const session = useSession();
  const [hits, setHits] = useState<readonly OpsHit[]>();
  const end = useRef<() => void>(undefined);
  // A search that is under way would open them again.
  const close = (): void => {
    end.current?.();
    setHits(undefined);
  };
  useEffect(close, [place.value]);
  useEffect(() => {
    const text = q.trim();
    if (text === '') return close();
    let isOver = false;
    const stop = after(PAUSE_MS, () => {
      session.ask('search', {}, { q: text, limit: FEW }).then(
        (answer) => isOver || setHits(answer.hits),
        () => isOver || close(),
      );
    });
    end.current = () => {
      isOver = true;
      stop();
    };
    return end.current;
  }, [q, session]);
  return { hits, close };
};

/** Moves the focus with the arrow keys, among the focusable elements. */
const moveFocus = (event: KeyboardEvent, all: readonly (HTMLElement | null)[]): void => {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (step === 0) return;
  const at = all.indexOf(document.activeElement as HTMLElement) + step;
  all[Math.max(0, Math.min(all.length - 1, at))]?.focus();
  event.preventDefault();
};

/** The usual search key, except in a text field. */
const useSlash = (input: HTMLInputElement | null): void => {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const isWriting = event.target instanceof Element && event.target.closest('input, textarea, select, dialog');
      if (event.key !== '/' || isWriting || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      (input ?? document.querySelector<HTMLInputElement>('.search input'))?.focus();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [input]);
};
