import { enActs } from './en-acts.ts';
import { enPlayer } from './en-player.ts';
import { enRunning } from './en-running.ts';
import { type Table, text } from './text.ts';

export const en = {
  lang: 'en-GB',
  /** The language's name in itself. */
  ownName: 'English',
  language: 'Language',
  /** The separator of entries, and the quotes around people's text. */
  list: ', ',
  quoted: text<{ text: string }>(({ text }) => `“${text}”`),
  title: 'Kibble operators',
  brand: 'Kibble',
  forOperators: 'operators',
  skip: 'Skip to the content',
  units: { day: 'd', hour: 'h', minute: 'min', second: 's', millisecond: 'ms' },
  now: 'now',
  inTime: text<{ span: string }>(({ span }) => `in ${span}`),
  ago: text<{ span: string }>(({ span }) => `${span} ago`),
  close: 'Close',
  cancel: 'Cancel',
  again: 'Try again',
  none: 'none',
  loading: 'Loading …',
  stale: 'Not up to date',
  nav: { overview: 'Overview', timers: 'Timers', failed: 'Dead & stuck', jobs: 'Jobs', rules: 'Rules', audit: 'Audit' },
  navLabel: 'Pages',

  signIn: {
    hint: 'With an operator’s token: from `operators`, OPS_TOKENS or DATA_DIR/operator-token. Kept until this tab is closed.',
    token: 'Token',
    submit: 'Sign in',
    wrong: 'This token is not known here. Copy it whole, without the name and the role before it.',
    expired: 'Your token is no longer accepted. Sign in again: you stay on this page.',
    out: 'Sign out',
    role: text<{ role: string }>(({ role }) => `role: ${role}`),
  },

  faults: {
    'page/offline': 'The server does not answer. Check your connection.',
    'page/no-kibble': 'The answer is not the server’s. Try again shortly.',
    'page/fault': 'The page has a fault. Load it again.',
    'server/unavailable': 'The database does not answer. What is due fires when it is back. Try again shortly.',
    'server/failed': 'The server failed. Its log says why.',
    'auth/role': 'Your role may not do that. Ask an operator whose role may.',
    'command/invalid': 'Something is filled in wrongly.',
    'command/reused': 'This was sent before with other content. Close this and begin anew.',
    'player/unknown': 'No player with this id has a home. Check the id, or search its beginning.',
    'thing/not-in-log': 'The log has no such thing or run any more.',
    'thing/unknown': 'The player has no such thing any more.',
    'module/not-offered': 'The module does not offer that.',
    'timer/unknown': 'No timer has this id: finished ones are removed after a while.',
    'timer/derived': 'This timer follows from a home. Act on the player instead.',
    'job/unknown': 'There is no such job.',
    'job/empty': 'No player fits the filter.',
    'item/unknown': 'The rules have no such item.',
    'item/out-of-stock': 'The player does not have that many.',
    'item/too-many': 'The player would have too many to count.',
    'rules/changed': 'Another version is in force by now. Close this and look at it first.',
    'rules/too-often': 'Rules were just changed. Try again shortly.',
    'player/merged': 'This player’s home was merged into another one: merge into that one.',
    'player/frozen': 'The player is frozen already.',
    'player/not-frozen': 'The player is not frozen.',
  } as Table,
  offline: 'The server does not answer. What is shown may be old.',

  search: {
    label: 'Search',
    hint: 'Player, thing or timer',
    key: 'Press / to search',
    nothing: text<{ q: string }>(({ q }) => `Nothing found for “${q}”.`),
    nothingHint: 'A player’s id may be cut short; other ids must be whole.',
    more: 'There may be more. Type more of the id or title.',
    results: text<{ count: number }>(({ count }) => `${count} found`),
    types: { player: 'Player', thing: 'Thing', run: 'Run', timer: 'Timer' },
    why: 'why is it due then?',
  },

  ...enPlayer,
  ...enRunning,
  ...enActs,
};

/** All texts of the page. A language that lacks one does not compile. */
export type Words = typeof en;
