import { signal } from '@preact/signals';

/** The place in the page's address: `#/players/ann/log?beforeSeq=7`. */
export interface Place {
  readonly parts: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

// Before the present place, which is read as soon as this module is loaded.
const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};

export const placeOf = (hash: string): Place => {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  return {
    parts: path.split('/').filter(Boolean).map(decoded),
    query: Object.fromEntries(new URLSearchParams(query)),
  };
};

/** The address of a place. An empty text is a parameter too: that of timers without an error. */
export const hrefOf = (parts: readonly string[], query: Readonly<Record<string, string | number | undefined>> = {}) => {
  const given = Object.entries(query).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]]));
  const text = given.length > 0 ? `?${new URLSearchParams(given)}` : '';
  return `#/${parts.map(encodeURIComponent).join('/')}${text}`;
};

export const playerHref = (playerId: string, tab?: string) => hrefOf(['players', playerId, ...(tab ? [tab] : [])]);
export const thingHref = (playerId: string, module: string, thing: string) =>
  hrefOf(['players', playerId, 'things', module, thing]);
export const runHref = (playerId: string, module: string, run: string) =>
  hrefOf(['players', playerId, 'runs', module, run]);
export const timerHref = (timerId: string) => hrefOf(['timers', timerId]);

let shown = location.hash;
export const place = signal(placeOf(shown));
/** Not behind a dialog: it has typed inputs, or an act under way with its `commandId`. */
addEventListener('hashchange', () => {
  if (document.querySelector('dialog')) {
    history.pushState(0, '', shown);
    return;
  }
  shown = location.hash;
  place.value = placeOf(shown);
});

export const goTo = (href: string): void => {
  location.hash = href;
};
