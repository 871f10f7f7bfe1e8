import { playerPart } from '../ids.ts';
import { admin, read, support, writeInput } from './act.ts';
import { a, by, choice, maybe, textInput, thingId, timerNameInput, type ValuesOf, wholeInput } from './input.ts';
import { rulesReads, rulesWrites } from './rules-acts.ts';

export const timerStates = ['scheduled', 'completed', 'cancelled', 'dead'] as const;

const limit = maybe(wholeInput(1, 500));
const items = by('--items <list>', 'name=count,name=count', a('items'));
const byMs = by('--by <duration>', '30min later, -2h sooner', a('shift'));
const error = maybe(by('--error <text>', 'with exactly this last error', a('raw')));
const onThing = {
  module: by('--module <name>', 'of the thing, where several have such a one', a('name')),
  thing: thingId,
  /** Only if the thing is in this run. */
  run: maybe(by('--run <run>', 'only if the thing is at it', timerNameInput)),
} as const;

/**
 * Every act of operators, described once. This table gives the routes of the ops API with their roles, the schemas of
 * their inputs, the commands of the terminal, the dialogs of the page, and the table in docs/operators.md. `answers.ts`
 * has the results. Reads change nothing and never settle.
 */
export const opsActs = {
  me: read('/me', 'the operator of the token'),
  overview: read('/overview', 'counts of timers, commands a second, lateness, and kinds with those that are paused'),
  search: read('/search', 'find players, things and timers by id, its beginning, or a title', {
    cli: 'search <text>',
    input: { q: timerNameInput, limit: maybe(wholeInput(1, 50)) },
  }),
  player: read('/players/:playerId', 'the home, as its rows are now'),
  log: read('/players/:playerId/log', 'the log, newest first', {
    input: { beforeSeq: maybe(wholeInput(1, 2 ** 53)), limit },
  }),
  playerTimers: read('/players/:playerId/timers', 'scheduled timers of the player, and their index entries'),
  exportPlayer: read('/players/:playerId/export', 'all data of the player as JSON', {
    role: 'support',
    cli: 'players export <playerId>',
  }),
  /** For a thing, or for a run; of a thing's runs the newest. */
  explainThing: read(
    '/players/:playerId/explain',
    'why a thing is due at its time: the entries of the log and the effect of each',
    {
      cli: 'players explain <playerId> [thing]',
      input: {
        module: by('--module <name>', 'of the thing, where several have such a one, or it is gone', a('name')),
        thing: maybe(thingId),
        run: maybe(by('--run <run>', 'a run that has ended, as a timer names it', timerNameInput)),
      },
      needsOne: ['thing', 'run'],
    },
  ),
  modules: read('/modules', 'the modules of this server: acts on their things, and their words'),
  timers: read('/timers', 'timers by state, kind, owner and window', {
    cli: 'timers ls',
    input: {
      state: by('--state <state>', `one of ${timerStates.join(', ')}`, maybe(choice(timerStates)), 'scheduled'),
      kind: maybe(by('--kind <kind>', '', timerNameInput)),
      owner: maybe(by('--owner <owner>', '', timerNameInput)),
      error: maybe(by('--error <text>', 'exactly this last error', a('raw'))),
      /** Failed at least once; a scheduled timer of a derived kind is then `stuck`. */
      failed: maybe(choice(['true'])),
      fromMs: maybe(a('instant')),
      toMs: maybe(a('instant')),
      after: maybe(by('--after <place>', 'where the page before ended', textInput(1, 64))),
      limit: by('--limit <count>', 'timers in a page', limit, 50),
    },
  }),
  upcoming: read('/timers/upcoming', 'timers by fire time, in the next hour, day or week', {
    input: { window: maybe(choice(['1h', '24h', '7d'])) },
  }),
  timer: read('/timers/:timerId', 'one timer'),
  explainTimer: read('/timers/:timerId/explain', 'a timer, and why it is due at its time', {
    cli: 'timers show <timerId>',
  }),
  failed: read('/failed', 'counts of dead and stuck timers, by kind and error', { cli: 'dead ls' }),
  audit: read('/audit', 'acts of operators, newest first', {
    cli: 'audit',
    input: {
      target: maybe(by('--target <target>', 'player:<id>, timer:<id>, job:<id> or index', textInput(1, 520))),
      before: maybe(by('--before <id>', 'older entries', a('timer'))),
      limit: by('--limit <count>', 'entries', limit, 50),
    },
  }),
  jobs: read('/jobs', 'jobs, newest first', { cli: 'jobs ls' }),
  job: read('/jobs/:jobId', 'one job and its progress', { cli: 'jobs show <jobId>' }),
  ...rulesReads,
  index: read('/index', 'shards, owners and entries'),
  clock: read('/clock', 'whether the database’s clock is trusted, as this process sees it'),

  grant: support('/players/:playerId/grant', 'give items', {
    cli: 'players grant <playerId>',
    asks: 'grant {items} to {playerId}',
    input: { items },
  }),
  take: support('/players/:playerId/take', 'take items', {
    cli: 'players take <playerId>',
    asks: 'take {items} from {playerId}',
    input: { items },
  }),
  freeze: support('/players/:playerId/freeze', 'refuse all commands of the player; running activities go on', {
    cli: 'players freeze <playerId>',
    asks: 'freeze {playerId}',
  }),
  unfreeze: support('/players/:playerId/unfreeze', 'accept commands again', {
    cli: 'players unfreeze <playerId>',
    asks: 'unfreeze {playerId}',
  }),
  shift: support('/players/:playerId/shift', 'move the due time of a thing; before now it completes now', {
    cli: 'players shift <playerId> <thing>',
    asks: 'shift {thing} of {playerId} by {byMs} ms',
    input: { ...onThing, byMs },
  }),
  stop: support('/players/:playerId/stop', 'stop the activity of a thing', {
    cli: 'players stop <playerId> <thing>',
    asks: 'stop {thing} of {playerId}',
    input: onThing,
    risk: 'final',
  }),
  revokeTokens: support('/players/:playerId/revoke', 'end all tokens of the player that were issued until now', {
    asks: 'revoke all tokens of {playerId} that were issued until now',
  }),
  /**
   * `endsAtMs`: its `exp`. The revocation is deleted a day later, but 181 days from now at the earliest, because a guest's
   * renewals live as long.
   */
  revokeToken: support('/tokens/revoke', 'end one token, by its `jti`', {
    asks: 'revoke the token {tokenId}',
    input: { tokenId: textInput(1, 200), endsAtMs: maybe(a('instant')) },
  }),
  advance: support('/players/:playerId/advance', 'advance all due times; with DEV_TOOLS=1 only', {
    input: { commandId: maybe(writeInput.commandId), reason: maybe(writeInput.reason), byMs: a('duration') },
  }),
  shiftTimer: support('/timers/:timerId/shift', 'move the due time', {
    cli: 'timers shift <timerId>',
    asks: 'shift timer {timerId} by {byMs} ms',
    input: { byMs },
  }),
  fireTimer: support('/timers/:timerId/fire', 'make a timer due now', {
    cli: 'timers fire <timerId>',
    asks: 'fire timer {timerId}',
  }),
  pauseTimer: support('/timers/:timerId/pause', 'do not fire it; its due time stays', {
    cli: 'timers pause <timerId>',
    asks: 'pause timer {timerId}',
  }),
  resumeTimer: support('/timers/:timerId/resume', 'let a paused timer fire again', {
    cli: 'timers resume <timerId>',
    asks: 'resume timer {timerId}',
  }),
  completeTimer: support('/timers/:timerId/complete', 'end it as if it had fired', {
    cli: 'timers complete <timerId>',
    asks: 'complete timer {timerId}',
    risk: 'final',
  }),
  cancelTimer: support('/timers/:timerId/cancel', 'cancel it', {
    cli: 'timers cancel <timerId>',
    asks: 'cancel timer {timerId}',
    risk: 'final',
  }),
  reviveTimer: support('/timers/:timerId/revive', 'schedule a dead timer for now', {
    cli: 'timers revive <timerId>',
    asks: 'revive timer {timerId}',
  }),
  reviveDead: support('/dead/revive', 'schedule dead timers of a kind for now', {
    cli: 'dead revive <kind>',
    asks: 'revive {count} of {all} dead timers of {kind}',
    input: {
      kind: timerNameInput,
      error,
      limit: by('--limit <count>', 'at most, the latest first (1000)', maybe(wholeInput(1, 1000)), 100),
    },
  }),
  pauseKind: admin('/kinds/:kind/pause', 'fire no timers of a kind, also new ones', {
    cli: 'kinds pause <kind>',
    asks: 'pause all timers of {kind}',
    risk: 'broad',
  }),
  resumeKind: admin('/kinds/:kind/resume', 'fire the timers of a paused kind again', {
    cli: 'kinds resume <kind>',
    asks: 'resume all timers of {kind}',
  }),

  erase: admin('/players/:playerId/erase', 'remove everything of the player; cannot be taken back', {
    cli: 'players erase <playerId>',
    asks: 'erase {playerId} for good',
    risk: 'confirmed',
  }),
  /** `isNew`: the other player may have no home yet; otherwise that is a fault, because ids are easily mistyped. */
  merge: admin('/players/:playerId/merge', 'move the things and items to another player; cannot be taken back', {
    cli: 'players merge <guestId>',
    asks: 'merge {playerId} into {into} for good',
    input: {
      into: by('--into <playerId>', 'who gets them', a('player')),
      isNew: maybe(by('--new', 'that player may be one without a home yet', a('flag'))),
    },
    risk: 'confirmed',
  }),
  createJob: admin('/jobs', 'give items to many players, in small batches', {
    cli: 'jobs create',
    asks: 'give {items} to {count} players',
    input: { filter: a('filter'), items, perSecond: maybe(wholeInput(1, 1000)) },
  }),
  stopJob: admin('/jobs/:jobId/stop', 'stop a job', { cli: 'jobs stop <jobId>', asks: 'stop job {jobId}' }),
  resumeJob: admin('/jobs/:jobId/resume', 'continue a stopped job', {
    cli: 'jobs resume <jobId>',
    asks: 'resume job {jobId}',
  }),
  ...rulesWrites,
  rebuild: admin('/index/rebuild', 'refill the index from the rows, while everything serves', {
    cli: 'rebuild',
    asks: 'refill the index',
    risk: 'broad',
  }),
  reconcile: admin('/index/reconcile', 'compare the index with the rows now, and heal it', {
    cli: 'reconcile',
    asks: 'compare the index with the rows',
  }),
  acceptClock: admin(
    '/clock/accept',
    'accept the database’s clock as it is: all processes follow it; cannot be taken back',
    { cli: 'clock accept', asks: 'follow the clock ({clock})', risk: 'confirmed' },
  ),
  reshard: admin('/index/reshard', 'give the index another number of shards, while everything serves', {
    cli: 'reshard <shards>',
    asks: 'give the index {shards} shards instead of {before}',
    input: { shards: wholeInput(1, 1024) },
    risk: 'broad',
  }),
} as const;

export type OpsRouteName = keyof typeof opsActs;
/** Only a type: the inputs of each act. */
declare const taken: { readonly [Name in OpsRouteName]: ValuesOf<(typeof opsActs)[Name]['input']> };
/** An act's checked input. In a query numbers are text. */
export type OpsInput<Name extends OpsRouteName> = (typeof taken)[Name];
/** The reason and the command id. */
export type OpsWrite = ValuesOf<typeof writeInput>;

/** The address of an act, relative to the operators' page: `api/players/ann`. Throws if a part is missing. */
export const opsPath = (name: OpsRouteName, parts: Readonly<Record<string, string>> = {}): string =>
  `api${opsActs[name].path.replaceAll(/:(\w+)/g, (_, part: string) => {
    const value = parts[part];
    if (value === undefined) throw new Error(`${name} needs ${part}`);
    return encodeURIComponent(part === 'playerId' ? playerPart(value) : value);
  })}`;
