import { playerPart } from '../ids.ts';

/** `viewer` reads, `support` acts on players and timers, `admin` does what cannot be taken back or concerns everybody. */
export const opsRoles = ['viewer', 'support', 'admin'] as const;
export type OpsRole = (typeof opsRoles)[number];

export interface OpsRoute {
  readonly method: 'GET' | 'POST';
  /** Below `api` of the operators' page; `:name` stands for a part that the caller fills in, percent-encoded (players: `playerPart`). */
  readonly path: string;
  /** The least role that may ask for it. */
  readonly role: OpsRole;
  /** What it does, for people. */
  readonly about: string;
}

const read = (path: string, about: string, role: OpsRole = 'viewer'): OpsRoute => ({
  method: 'GET',
  path,
  role,
  about,
});
const write = (role: OpsRole, path: string, about: string): OpsRoute => ({ method: 'POST', path, role, about });

/** Every route of the ops API. Reads change nothing and never settle. Free of dependencies, for the page as well. */
export const opsRoutes = {
  me: read('/me', 'who the token belongs to'),
  overview: read('/overview', 'how things go: pending, overdue, dead, stuck, commands a second, lateness'),
  search: read('/search', 'players, things and timers by id, its beginning, or a title'),
  player: read('/players/:playerId', 'the home as the rows have it now'),
  log: read('/players/:playerId/log', 'the log, newest first'),
  playerTimers: read(
    '/players/:playerId/timers',
    'the scheduled timers of the player, of all kinds, and what the index has of them',
  ),
  exportPlayer: read('/players/:playerId/export', 'all data of the player', 'support'),
  explainThing: read('/players/:playerId/explain', 'why a thing is due when it is, or a run of it was'),
  modules: read('/modules', 'the modules of this server: what may be done to their things, and their words'),
  timers: read('/timers', 'timers by state, kind, owner and window'),
  upcoming: read('/timers/upcoming', 'how many timers fire when, in the next hour, day or week'),
  timer: read('/timers/:timerId', 'one timer'),
  explainTimer: read('/timers/:timerId/explain', 'why a timer is due when it is'),
  failed: read('/failed', 'dead and stuck timers, by kind and error'),
  audit: read('/audit', 'what operators did, newest first'),
  jobs: read('/jobs', 'jobs, newest first'),
  job: read('/jobs/:jobId', 'one job and how far it is'),
  index: read('/index', 'shards, their owners, and what the index holds'),
  clock: read('/clock', 'whether the database’s clock is trusted, as this process sees it'),

  grant: write('support', '/players/:playerId/grant', 'give items'),
  take: write('support', '/players/:playerId/take', 'take items'),
  shift: write('support', '/players/:playerId/shift', 'move the due time of a thing'),
  stop: write('support', '/players/:playerId/stop', 'stop what a thing does'),
  freeze: write('support', '/players/:playerId/freeze', 'refuse all commands of the player; what is under way goes on'),
  unfreeze: write('support', '/players/:playerId/unfreeze', 'accept commands again'),
  revokeTokens: write(
    'support',
    '/players/:playerId/revoke',
    'end all tokens of the player that were issued until now',
  ),
  revokeToken: write('support', '/tokens/revoke', 'end one token, by its `jti`'),
  advance: write('support', '/players/:playerId/advance', 'bring everything that is due nearer; with DEV_TOOLS=1 only'),
  shiftTimer: write('support', '/timers/:timerId/shift', 'move the due time of a timer'),
  fireTimer: write('support', '/timers/:timerId/fire', 'make a timer due now'),
  pauseTimer: write('support', '/timers/:timerId/pause', 'hold a timer back; it keeps its due time'),
  resumeTimer: write('support', '/timers/:timerId/resume', 'let a paused timer fire when it is due, or at once'),
  completeTimer: write('support', '/timers/:timerId/complete', 'end a timer as if it had fired'),
  cancelTimer: write('support', '/timers/:timerId/cancel', 'cancel a timer'),
  reviveTimer: write('support', '/timers/:timerId/revive', 'schedule a dead timer for now'),
  reviveDead: write('support', '/dead/revive', 'revive many dead timers of a kind'),
  pauseKind: write('admin', '/kinds/:kind/pause', 'fire no timers of a kind any more, also those that come later'),
  resumeKind: write('admin', '/kinds/:kind/resume', 'fire the timers of a paused kind again'),

  erase: write('admin', '/players/:playerId/erase', 'remove everything of the player; cannot be taken back'),
  merge: write('admin', '/players/:playerId/merge', 'move things and items to another player; cannot be taken back'),
  createJob: write('admin', '/jobs', 'give items to many players, little by little'),
  stopJob: write('admin', '/jobs/:jobId/stop', 'stop a job'),
  resumeJob: write('admin', '/jobs/:jobId/resume', 'go on with a stopped job'),
  rebuild: write('admin', '/index/rebuild', 'refill the index from the rows'),
  reconcile: write('admin', '/index/reconcile', 'compare the index with the rows now'),
  acceptClock: write('admin', '/clock/accept', 'follow the database’s clock as it stands; cannot be taken back'),
  reshard: write('admin', '/index/reshard', 'change the number of shards'),
} as const satisfies Readonly<Record<string, OpsRoute>>;

export type OpsRouteName = keyof typeof opsRoutes;

export const mayUse = (role: OpsRole, route: OpsRoute): boolean =>
  opsRoles.indexOf(role) >= opsRoles.indexOf(route.role);

/** The address of a route, relative to that of the operators' page: `api/players/ann`. Throws when a part is missing. */
export const opsPath = (name: OpsRouteName, parts: Readonly<Record<string, string>> = {}): string =>
  `api${opsRoutes[name].path.replaceAll(/:(\w+)/g, (_, part: string) => {
    const value = parts[part];
    if (value === undefined) throw new Error(`${name} needs ${part}`);
    return encodeURIComponent(part === 'playerId' ? playerPart(value) : value);
  })}`;
