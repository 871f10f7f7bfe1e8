import type { Server } from '@colyseus/core';
import fc from 'fast-check';
import { Pool } from 'pg';
import { village } from '../../examples/village.ts';
import { fromDrizzle, fromPrisma, ormArguments } from '../../server/adapter/postgres/orm-transactions.ts';
import { Modules } from '../../server/domain/modules.ts';
import { guardServer, guardServerArguments } from '../../server/gate/guard-server.ts';
import { GameHomes, homesCalls } from '../../server/home/game-homes.ts';
import type { HomeService } from '../../server/home/home-service.ts';
import { fixedRules } from '../../server/home/model/rules-in-force.ts';
import { createKibble, type KibbleOptions } from '../../server/kibble.ts';
import { addOpsApi, type ExpressApp } from '../../server/operators.ts';
import { createHomeRoom } from '../../server/room/create-home-room.ts';
import { homeRoomOptions } from '../../server/room/home-room-options.ts';
import { clockCalls, ManualClock } from '../../server/runtime/manual-clock.ts';
import { works, worksOptions } from '../../server/settings/rules.ts';
import { again, againArguments } from '../../server/timer/fire/again.ts';
import { afterCommitArguments, hookOf } from '../../server/timer/fire/fire-try.ts';
import { TimerKinds } from '../../server/timer/model/timer-kinds.ts';
import type { TimerStore } from '../../server/timer/model/timer-store.ts';
import { nextTimes, nextTimesArguments } from '../../server/timer/recurrence/next-times.ts';
import { type TimerService, timerService } from '../../server/timer/timer-service.ts';
import { serviceCalls, timerCalls } from '../../server/timer/write/timer-calls.ts';
import { createTimers, type TimersOptions } from '../../server/timers.ts';
import { GameRules, rulesCalls } from '../../server/wiring/game-rules.ts';
import {
  besideArguments,
  besideEachOther,
  kibbleShape,
  opsApiArguments,
  othersFire,
  timersShape,
} from '../../server/wiring/host-options.ts';
import { nextAt, nextAtArguments } from '../../shared/calendar/cron-shape.ts';
import { contractShape, rulesShape } from '../../shared/module/check-module.ts';
import { defineModule } from '../../shared/module/module.ts';
import type { Schema } from '../../shared/options/schema.ts';
import { fields } from '../../shared/options/shapes.ts';
import { checkModule, checkModuleArguments } from '../../testing/check-module.ts';
import { checkRules, checkRulesArguments } from '../../testing/check-rules.ts';
import { silentLog } from '../support/log/logs.ts';

/** Values that are wrong wherever this sort of value is wanted. */
const bad = {
  wholes: [Number.NaN, Infinity, -Infinity, 1.5, '5', 5n, null, true, [], {}, () => 5],
  texts: [5, 5n, null, true, [], {}, '', 'a\0b', 'a\ud83d', '\udc4d', Symbol('text'), Object.create(null)],
  functions: [5, 'text', null, {}, [], true],
  objects: [5, 'text', null, true, undefined],
  lists: [5, 'text', null, {}, true],
  flags: [0, 1, 'true', null, {}],
} as const;

const durations = [...bad.wholes, -1, new Date(0)];
const instants = [...bad.wholes, new Date(0), 1e13, -1e13, 2 ** 42];
const names = [...bad.texts, 'x'.repeat(513)];
/** Objects with methods. */
const parts = [...bad.objects.slice(0, 4), {}, []];

export interface Case {
  readonly name: string;
  readonly schema: Schema<unknown>;
  /** A valid value with every field, so that each one can be replaced. */
  readonly good: object;
  readonly call: (given: never) => unknown;
  /** Bad values by path. */
  readonly rows: Readonly<Record<string, readonly unknown[]>>;
}

/** How often something of the game's, or of ours, was asked to do anything. */
export const touched = { count: 0 };

const untouched = <Part extends object>(...methods: readonly string[]): Part =>
  Object.fromEntries(
    methods.map((method) => [
      method,
      () => {
        touched.count += 1;
      },
    ]),
  ) as Part;

const done = async (): Promise<undefined> => undefined;
const misfire = { afterMs: 1, late: 'fire', missed: 'last' };
const misfireRows = (path: string) => ({
  [`${path}{}`]: [5, 'skip', null, []],
  [`${path}.afterMs`]: durations,
  [`${path}.late`]: ['drop', 5, null],
  [`${path}.missed`]: ['some', 5, null],
});

const kind = { kind: 'a', call: done, timeoutMs: 5, atOnce: 5, retryDelaysMs: [5], misfire, retentionMs: 5 };
const kindRows = {
  kinds: bad.lists,
  'kinds[]{}': [5, 'a', null, [], undefined],
  'kinds[].kind': names,
  'kinds[].fire': bad.functions,
  'kinds[].call': [...bad.functions, undefined],
  'kinds[].timeoutMs': [...durations, 0, 2 ** 31],
  'kinds[].atOnce': [...bad.wholes, 0, -1],
  'kinds[].retryDelaysMs': [5000, 'text', null],
  'kinds[].retryDelaysMs[]': durations,
  ...misfireRows('kinds[].misfire'),
  'kinds[].retentionMs': durations,
};

const ground = {
  pool: untouched<KibbleOptions['pool']>('query', 'connect', 'on'),
  schema: 'kibble',
  redis: 'redis://localhost',
  redisPrefix: 'kibble',
  shards: 4,
  deadRetentionMs: 5,
  drainMs: 5,
  log: untouched<KibbleOptions['log'] & {}>('info', 'warn', 'error'),
};
const groundRows = {
  '{}': [5, 'text', null, undefined, []],
  pool: [...parts, undefined, 'postgres://localhost'],
  schema: [...bad.texts, 'A', 'a"b', '1a', 'x'.repeat(64)],
  redis: [
    ...[...bad.texts, 'localhost', 'http://localhost', 'redis://a,b'],
    ...['redis://a,redis+sentinel://b/name', 'redis+sentinel://a'],
  ],
  redisPrefix: [...bad.texts, 'a b', '{a}', 'x'.repeat(65)],
  shards: [...bad.wholes, 0, 1025],
  deadRetentionMs: durations,
  drainMs: [...durations, 2 ** 31],
  clock: [
    ...parts,
    Date,
    { nowMs: () => 5, monotonicMs: () => 5, after: () => () => {}, advance() {}, advanceTo() {} },
  ],
  log: parts,
  metrics: parts,
  ...kindRows,
};

const contract = { ...village, version: 2, items: ['wood'], serverOnly: ['upgrade'], maxThings: 5, wire: {} };
const contractRows = (path: string) => ({
  [`${path}name`]: [...bad.texts, 'Village', 'home', 'x'.repeat(33)],
  [`${path}version`]: [...bad.wholes, 0],
  [`${path}thing`]: [...bad.objects, { _def: { typeName: 'ZodObject' } }],
  [`${path}initial`]: [5, 'text', null, undefined],
  [`${path}items`]: [5, 'text', null, [5], ['']],
  [`${path}config`]: [5, 'text', null, {}, { _def: { typeName: 'ZodObject' } }],
  [`${path}configFaults`]: bad.functions,
  [`${path}events`]: [...bad.objects, { A: contractShape }, { a: 5 }],
  [`${path}commands`]: [...bad.objects, { a: { _def: { typeName: 'ZodObject' } } }],
  [`${path}serverOnly`]: bad.lists,
  [`${path}serverOnly[]`]: [...bad.texts, 'burn'],
  [`${path}maxThings`]: [...bad.wholes, 0],
  [`${path}wire{}`]: [5, 'text', null],
  [`${path}wire.messages`]: [5, 'Home', null],
  [`${path}wire.events`]: [5, 'home/', null],
  [`${path}wire.timer`]: bad.texts,
  [`${path}wire.thing`]: bad.texts,
  [`${path}wire.run`]: bad.texts,
  [`${path}wire.ids`]: bad.texts,
});
const older = { thing: done, event: done };
const rulesRows = (path: string) => ({
  ...Object.fromEntries(Object.keys(rulesShape).map((rule) => [`${path}${rule}`, bad.functions])),
  [`${path}decide`]: [5, 'text', null, { upgrade: 5 }, {}],
  [`${path}evolve`]: [5, 'text', null, {}],
  [`${path}words`]: [5, 'text', null],
  [`${path}older{}`]: [5, 'text', null],
  [`${path}older.thing`]: bad.functions,
  [`${path}older.event`]: bad.functions,
});
const withoutOlder = (rows: Readonly<Record<string, readonly unknown[]>>) =>
  Object.fromEntries(Object.entries(rows).filter(([path]) => !path.endsWith('older')));

const moduleRows = (path: string) => ({
  [`${path}{}`]: [5, 'text', null, []],
  ...contractRows(`${path}.`),
  ...withoutOlder(rulesRows(`${path}.`)),
});

const consumer = { name: 'news', from: 'now', handle: done };
const kibble: Case = {
  name: 'createKibble',
  schema: fields<KibbleOptions>(kibbleShape, besideEachOther),
  good: {
    ...ground,
    playerId: () => 'ann',
    role: 'all',
    modules: [{ ...contract, older }],
    retired: ['old'],
    kinds: [kind],
    consumers: [consumer],
    eventRetentionMs: 5,
    timerRetentionMs: 5,
    items: ['gold'],
    inventory: untouched('load', 'apply'),
  },
  call: (given) => createKibble(given),
  rows: {
    ...groundRows,
    playerId: [...bad.functions, undefined],
    role: ['server', 5, null],
    modules: bad.lists,
    ...moduleRows('modules[]'),
    retired: bad.lists,
    'retired[]': bad.texts,
    rulesFrom: [5, 'ops', null],
    rules: [{}],
    inventory: [...parts, { load: done }],
    consumers: bad.lists,
    'consumers[]{}': [5, 'text', null, undefined],
    'consumers[].name': [...bad.texts, 'x'.repeat(65)],
    'consumers[].from': ['then', 5, null],
    'consumers[].handle': [...bad.functions, undefined],
    eventRetentionMs: durations,
    timerRetentionMs: durations,
    items: bad.lists,
    'items[]': bad.texts,
  },
};

const opened = createKibble({ pool: new Pool(), playerId: () => 'ann' });
const beside: Case = {
  name: 'lifecycle.beside',
  schema: besideArguments,
  good: { database: untouched('boot') },
  call: ({ database }: { readonly database: never }) => opened.lifecycle.beside(database),
  rows: { database: [...parts, undefined, { shutdown: done }] },
};

const timers: Case = {
  name: 'createTimers',
  schema: fields<TimersOptions>(timersShape, othersFire),
  good: { ...ground, fires: true, kinds: [kind], retentionMs: 5 },
  call: (given) => createTimers(given),
  rows: { ...groundRows, fires: bad.flags, retentionMs: durations },
};

const operators: Case = {
  name: 'addOpsApi',
  schema: opsApiArguments,
  good: {
    app: untouched<ExpressApp>('use'),
    options: {
      ops: untouched('handlers'),
      operators: [{ name: 'ada', role: 'admin', token: 'x'.repeat(24) }],
      path: '/ops',
      hasDevTools: false,
      onFault: () => undefined,
    },
  },
  call: ({ app, options }: { readonly app: ExpressApp; readonly options: never }) => addOpsApi(app, options),
  rows: {
    app: [...parts, undefined, () => undefined],
    'options{}': [5, 'text', null, undefined],
    'options.ops': [...parts, undefined],
    'options.operators': [...bad.lists, undefined],
    'options.operators[]{}': [5, 'text', null, undefined],
    'options.operators[].name': bad.texts,
    'options.operators[].role': ['root', 5, null, undefined],
    'options.operators[].token': ['short', 5, null, undefined],
    'options.path': ['ops', '/ops?', '', 5, null],
    'options.hasDevTools': bad.flags,
    'options.onFault': bad.functions,
  },
};

const guard: Case = {
  name: 'guardServer',
  schema: guardServerArguments,
  good: {
    server: untouched<Server>('listen', 'define'),
    options: {
      allowedOrigins: ['https://game.example'],
      trustedProxies: 1,
      limitsAddresses: true,
      joinBytes: 5,
    },
  },
  call: ({ server, options }: { readonly server: Server; readonly options: object }) => guardServer(server, options),
  rows: {
    server: [...parts, undefined],
    'options{}': [5, 'text', null],
    'options.allowedOrigins': bad.lists,
    'options.allowedOrigins[]': [...bad.texts, 'game.example', 'https://game.example/', 'https://*.example', '*'],
    'options.trustedProxies': [...bad.wholes, -1, 11],
    'options.limitsAddresses': bad.flags,
    'options.joinBytes': [...bad.wholes, 0],
  },
};

const touching = new Proxy(
  {},
  {
    get: () => () => {
      touched.count += 1;
      throw new Error('it was asked');
    },
  },
);

const service = (): TimerService => {
  const kinds = new TimerKinds();
  kinds.register({ kind: 'a', call: done });
  const indexWriter = { publish: () => undefined, room: done, idle: done };
  return timerService({
    store: touching as TimerStore,
    kinds,
    indexWriter,
    after: () => () => undefined,
    log: silentLog,
  });
};

const target = { timerId: '1', kind: 'a', subject: 's' };
const options = { idempotencyKey: 'k' };
const optionsRows = { 'options{}': [5, 'text', null], 'options.idempotencyKey': names };
const targetRows = (list: string) => ({
  [list]: [...bad.lists, undefined, new Array(2 ** 32 - 1)],
  [`${list}[]{}`]: [5, 'text', null, undefined, {}],
  [`${list}[].timerId`]: [5, 5n, null, '', 'abc', '-1', '1.5', '0', '007', '9'.repeat(19)],
  [`${list}[].kind`]: names,
  [`${list}[].subject`]: names,
  ...optionsRows,
});
const cyclic: Record<string, unknown> = {};
cyclic.self = cyclic;
/** What JSON or Postgres cannot hold. */
const payloads = [
  ...[undefined, 5n, () => 5, Symbol('s'), cyclic, 'a\0', '\ud800', 'x'.repeat(1_000_001)],
  ...[Number.NaN, Infinity, new Map(), new Set([1]), [undefined], new Date(Number.NaN), { f: () => 5 }],
];
const every = { ms: 1000, untilMs: 5, times: 5 };
const cron = { expression: '0 0 * * *', timeZone: 'UTC', untilMs: 5, times: 5 };
const endRows = (path: string) => ({
  [`${path}.fromMs`]: instants,
  [`${path}.untilMs`]: instants,
  [`${path}.times`]: [...bad.wholes, 0, 2 ** 31],
});
const calendars = [...bad.texts, undefined, '0 0 32 * *', '0 0 0 * *', '0 0 1 13 *', '0 0 * *', 'x'.repeat(257)];
const zones = [...bad.texts, undefined, 'Mars/Olympus'];
const recurrenceRows = (path: string) => ({
  [`${path}.every{}`]: [5, 'text', null, []],
  [`${path}.every.ms`]: [...durations, 999, 2 ** 42],
  [`${path}.every.days`]: [...bad.wholes, 0, 1e9],
  [`${path}.every.timeZone`]: [...bad.texts, 'Mars/Olympus'],
  [`${path}.every.sameTimeAsMs`]: instants,
  ...endRows(`${path}.every`),
  [`${path}.cron{}`]: [5, '0 0 * * *', null, []],
  [`${path}.cron.expression`]: calendars,
  [`${path}.cron.timeZone`]: zones,
  ...endRows(`${path}.cron`),
});
const scheduleRows = {
  timers: [...bad.lists, undefined, new Array(2 ** 32 - 1)],
  'timers[]{}': [5, 'text', null, undefined],
  'timers[].kind': names,
  'timers[].subject': names,
  'timers[].owner': names,
  ...misfireRows('timers[].misfire'),
  ...recurrenceRows('timers[]'),
  'timers[].dueAtMs': instants,
  'timers[].inMs': instants,
  ...optionsRows,
};
const schedule = {
  timers: [{ kind: 'a', subject: 's', owner: 'ann', misfire, every, cron, dueAtMs: 5, payload: {} }],
  options,
};

type TimerCall = Exclude<keyof TimerService, keyof typeof serviceCalls | 'resumeKind' | 'idle'>;
const timerRows: Readonly<Record<TimerCall, Pick<Case, 'good' | 'rows'>>> = {
  schedule: { good: schedule, rows: scheduleRows },
  scheduleOrMove: { good: schedule, rows: scheduleRows },
  reschedule: {
    good: { items: [{ ...target, dueAtMs: 5 }], options },
    rows: { ...targetRows('items'), 'items[].dueAtMs': instants, 'items[].inMs': instants },
  },
  shift: {
    good: { items: [{ ...target, byMs: 5 }], options },
    rows: { ...targetRows('items'), 'items[].byMs': [...instants, undefined] },
  },
  shiftByOwner: {
    good: { owners: ['ann'], byMs: 5, options: { kinds: ['a'], ...options } },
    rows: {
      owners: bad.lists,
      'owners[]': names,
      byMs: [...instants, undefined],
      ...optionsRows,
      'options.kinds': bad.lists,
      'options.kinds[]': names,
    },
  },
  fireNow: { good: { targets: [target], options }, rows: targetRows('targets') },
  pause: { good: { targets: [target], options }, rows: targetRows('targets') },
  resume: { good: { targets: [target], options }, rows: targetRows('targets') },
  complete: {
    good: { targets: [{ ...target, result: 5 }], options },
    rows: { ...targetRows('targets'), 'targets[].result': payloads.slice(1) },
  },
  cancel: { good: { targets: [target], options }, rows: targetRows('targets') },
  cancelByOwner: { good: { owners: ['ann'], options }, rows: { owners: bad.lists, 'owners[]': names, ...optionsRows } },
  revive: { good: { targets: [target], options }, rows: targetRows('targets') },
  setPayload: {
    good: { items: [{ ...target, payload: {} }], options },
    rows: { ...targetRows('items'), 'items[].payload': payloads },
  },
  shiftByKind: {
    good: { kinds: ['a'], byMs: 5 },
    rows: { kinds: [...bad.lists, undefined], 'kinds[]': names, byMs: [...instants, undefined] },
  },
  cancelByKind: { good: { kinds: ['a'] }, rows: { kinds: [...bad.lists, undefined], 'kinds[]': names } },
};
const limits = [...bad.wholes, -1];
const serviceRows: Readonly<Record<keyof typeof serviceCalls, Pick<Case, 'good' | 'rows'>>> = {
  transaction: { good: { work: done }, rows: { work: [...bad.functions, undefined] } },
  within: { good: { tx: untouched('query') }, rows: { tx: [...parts, undefined] } },
  find: {
    good: { targets: [target] },
    rows: Object.fromEntries(Object.entries(targetRows('targets')).filter(([path]) => !path.startsWith('options'))),
  },
  listByOwner: { good: { owner: 'ann' }, rows: { owner: [...names, undefined] } },
  listDead: {
    good: { kinds: ['a'], limit: 5 },
    rows: { kinds: [...bad.lists, undefined], 'kinds[]': names, limit: limits },
  },
  listStuck: { good: { limit: 5 }, rows: { limit: limits } },
  pauseKind: { good: { kind: 'a' }, rows: { kind: [...names, undefined] } },
};

/** `kibble.timers`: each call with its arguments in their order. */
const ofTimers = (
  Object.entries({ ...timerRows, ...serviceRows }) as [keyof TimerService, Pick<Case, 'good' | 'rows'>][]
).map(
  ([name, one]): Case => ({
    name: `timers.${name}`,
    schema: ({ ...timerCalls, ...serviceCalls } as Readonly<Record<string, Schema<unknown>>>)[name] as Schema<unknown>,
    ...one,
    call: (given: object) => {
      const names = Object.keys(one.good) as (keyof typeof given)[];
      return (service()[name] as (...args: unknown[]) => unknown)(...names.map((argument) => given[argument]));
    },
  }),
);

const orders = [{ playerId: 'ann', commandId: 'command-1', items: { wood: 1 }, reason: 'gift' }];
const txRows = { 'options{}': [5, 'text', null], 'options.tx': [...parts, undefined] };
const orderRows = {
  orders: [...bad.lists, undefined],
  'orders[]{}': [5, 'text', null, undefined],
  'orders[].playerId': [5, null, undefined],
  ...txRows,
};
const playerRows = { playerIds: [...bad.lists, undefined], 'playerIds[]': [...bad.texts, 'a b', 'x'.repeat(129)] };
const tx = { options: { tx: untouched('query') } };
const homesRows: Readonly<Record<keyof typeof homesCalls, Pick<Case, 'good' | 'rows'>>> = {
  handle: {
    good: { commands: [{ playerId: 'ann', type: 'village:upgrade', payload: {} }], ...tx },
    rows: {
      commands: [...bad.lists, undefined],
      'commands[]{}': [5, 'text', null, undefined],
      'commands[].playerId': [5, null, undefined],
      'commands[].type': [5, null, undefined],
      ...txRows,
    },
  },
  grant: { good: { orders, ...tx }, rows: orderRows },
  take: { good: { orders, ...tx }, rows: orderRows },
  stockChanged: { good: { playerIds: ['ann'] }, rows: playerRows },
  look: { good: { playerIds: ['ann'] }, rows: playerRows },
};
const ordered = { module: 'village', expectedVersion: 1, commandId: 'c', by: 'dee', reason: 'sale' };
const moduleRow = { module: [...bad.texts, 'Village', 'home', undefined] };
const orderedRows = {
  ...moduleRow,
  '{}': [5, 'text', null, undefined, []],
  expectedVersion: [...bad.wholes, 10_001, undefined],
  commandId: [...bad.texts, 'x'.repeat(65), undefined],
  by: [...bad.texts, 'x'.repeat(129), undefined],
  reason: [...bad.texts, 'x'.repeat(501), undefined],
};
const rulesCases: Readonly<Record<keyof typeof rulesCalls, Pick<Case, 'good' | 'rows'>>> = {
  config: { good: { module: 'village' }, rows: moduleRow },
  current: { good: { module: 'village' }, rows: moduleRow },
  history: {
    good: { module: 'village', options: { limit: 5, before: 9 } },
    rows: {
      ...moduleRow,
      'options{}': [5, 'text', null],
      'options.limit': [...bad.wholes, 0, 101],
      'options.before': [...bad.wholes, 10_001],
    },
  },
  check: { good: { module: 'village', config: {} }, rows: moduleRow },
  replace: { good: { ...ordered, config: {} }, rows: orderedRows },
  rollBack: { good: { ...ordered, version: 1 }, rows: { ...orderedRows, version: [...bad.wholes, 10_001, undefined] } },
};
const ofRules = (Object.entries(rulesCases) as [keyof typeof rulesCalls, Pick<Case, 'good' | 'rows'>][]).map(
  ([name, one]): Case => ({
    name: `rules.${name}`,
    schema: rulesCalls[name],
    ...one,
    call: (given: object) => {
      const modules = new Modules([village]);
      const rules = new GameRules({ modules, inForce: fixedRules(modules), handlers: touching as never });
      // The orders are one object; the others have their arguments one by one.
      const isOrder = name === 'replace' || name === 'rollBack';
      const args = isOrder ? [given] : Object.keys(one.good).map((argument) => given[argument as keyof typeof given]);
      return (rules[name] as (...args: unknown[]) => unknown).apply(rules, args);
    },
  }),
);
const ofHomes = (Object.entries(homesRows) as [keyof typeof homesCalls, Pick<Case, 'good' | 'rows'>][]).map(
  ([name, one]): Case => ({
    name: `homes.${name}`,
    schema: homesCalls[name],
    ...one,
    call: (given: object) => {
      const homes = new GameHomes(touching as HomeService, new Modules([village]), () => undefined);
      const args = Object.keys(one.good).map((argument) => given[argument as keyof typeof given]);
      return (homes[name] as (...args: unknown[]) => unknown).apply(homes, args);
    },
  }),
);

const few: readonly Case[] = [
  {
    name: 'fromDrizzle',
    schema: ormArguments.fromDrizzle,
    good: { tx: untouched('execute'), sql: untouched('raw', 'param', 'join') },
    call: ({ tx, sql }: { readonly tx: never; readonly sql: never }) => fromDrizzle(tx, sql),
    rows: { tx: [...parts, undefined], sql: [...parts, undefined] },
  },
  {
    name: 'fromPrisma',
    schema: ormArguments.fromPrisma,
    good: { tx: untouched('$queryRawUnsafe') },
    call: ({ tx }: { readonly tx: never }) => fromPrisma(tx),
    rows: { tx: [...parts, undefined] },
  },
  {
    name: 'again',
    schema: againArguments,
    good: { dueAtMs: 5, payload: 5 },
    call: ({ dueAtMs }: { readonly dueAtMs: number }) => again(dueAtMs),
    rows: { dueAtMs: [...instants, undefined] },
  },
  {
    name: 'afterCommit',
    schema: afterCommitArguments,
    good: { run: () => undefined },
    call: ({ run }: { readonly run: () => unknown }) => hookOf(run),
    rows: { run: [5, 'text', null, undefined, {}] },
  },
  {
    name: 'nextTimes',
    schema: nextTimesArguments,
    good: { recurrence: { every, cron }, afterMs: 5, count: 5 },
    call: (given: object) => nextTimes(...(Object.values(given) as Parameters<typeof nextTimes>)),
    rows: {
      'recurrence{}': [5, 'text', null, undefined, {}],
      ...recurrenceRows('recurrence'),
      afterMs: [...instants, undefined],
      count: [...bad.wholes, 0, 1001, undefined],
    },
  },
  {
    name: 'nextAt',
    schema: nextAtArguments,
    good: { cron: '0 0 * * *', timeZone: 'UTC', afterMs: 5 },
    call: (given: object) => nextAt(...(Object.values(given) as Parameters<typeof nextAt>)),
    rows: { cron: calendars, timeZone: zones, afterMs: [...instants, undefined] },
  },
  {
    name: 'ManualClock',
    schema: clockCalls.instant,
    good: { nowMs: 5 },
    call: ({ nowMs }: { readonly nowMs: number }) => new ManualClock(nowMs),
    rows: { nowMs: [...instants, undefined] },
  },
  {
    name: 'advance',
    schema: clockCalls.advance,
    good: { byMs: 5 },
    call: ({ byMs }: { readonly byMs: number }) => new ManualClock(0).advance(byMs),
    rows: { byMs: [...durations, undefined] },
  },
  {
    name: 'works',
    schema: worksOptions,
    good: { name: 'town', rules: {} },
    call: (given) => works(given),
    rows: { '{}': [5, 'text', null, undefined], name: [...bad.texts, undefined, 'home'] },
  },
  {
    name: 'defineModule',
    schema: fields(contractShape),
    good: contractOf(contract),
    call: (given) => defineModule(given),
    rows: { '{}': [5, 'text', null, undefined], ...contractRows('') },
  },
  {
    name: 'rules',
    schema: fields(rulesShape),
    good: { ...rulesOf(village), older },
    call: (given) => defineModule(contractOf(contract) as never).rules(given),
    rows: { '{}': [5, 'text', null, undefined], ...withoutOlder(rulesRows('')) },
  },
  {
    name: 'checkRules',
    schema: checkRulesArguments,
    good: { catalogue: { foods: {}, cards: {}, limits: {} }, options: { runs: 1 } },
    call: ({ catalogue, options }: { readonly catalogue: never; readonly options: never }) =>
      checkRules(catalogue, options),
    rows: {
      catalogue: [...bad.objects, {}],
      'options{}': [5, 'text', null],
      'options.runs': [...bad.wholes, 0],
      'options.seed': [...bad.wholes, 2 ** 31],
    },
  },
  {
    name: 'checkModule',
    schema: checkModuleArguments,
    good: {
      module: { ...contract, older },
      trial: { commands: fc.constant({}), items: {}, other: { ...contract, older }, invariant: () => true, unitMs: 5 },
      options: { runs: 1 },
    },
    call: ({ module, trial, options }: { readonly module: never; readonly trial: never; readonly options: never }) =>
      checkModule(module, trial, options),
    rows: {
      ...moduleRows('module'),
      'trial{}': [5, 'text', null, undefined],
      'trial.commands': [...parts, undefined],
      'trial.items': [5, 'text', null],
      ...moduleRows('trial.other'),
      'trial.invariant': bad.functions,
      'trial.startAtMs': instants,
      'trial.unitMs': [...durations, 0],
      'options{}': [5, 'text', null],
      'trial.mayRefuse': bad.lists,
      'trial.mayRefuse[]': bad.texts,
      'trial.otherItems': [5, 'text', null, [5]],
      'trial.hostRefuses': bad.flags,
      'options.runs': [...bad.wholes, 0],
      'options.seed': [...bad.wholes, 2 ** 31],
    },
  },
  {
    name: 'createHomeRoom',
    schema: homeRoomOptions,
    good: {
      tokens: untouched('verify'),
      playerId: () => 'ann',
      rates: {
        messages: untouched('take', 'waitMs'),
        joins: untouched('take', 'waitMs'),
        badTokens: untouched('take', 'waitMs'),
      },
      revoked: untouched('isRevoked', 'wasRevoked'),
      onFault: () => undefined,
      modules: new Modules([village]),
      homes: untouched('handle', 'quote', 'look', 'sync', 'follow', 'now'),
      catalogue: {},
      limits: { joinMax: 5, joinBytes: 5 },
      bounds: { rooms: 5, devicesPerPlayer: 5, joinMs: 5, unreadBytes: 5, framesPerSecond: 5 },
      clock: untouched('after'),
    },
    call: (given) => createHomeRoom(given),
    rows: {
      '{}': [5, 'text', null, undefined],
      tokens: [...parts, undefined],
      playerId: bad.functions,
      'rates{}': [5, 'text', null],
      'rates.messages': [...parts, undefined],
      'rates.joins': [...parts, undefined],
      'rates.badTokens': [...parts, undefined],
      revoked: parts,
      onFault: [...bad.functions, undefined],
      modules: [...parts, undefined],
      homes: [...parts, undefined],
      catalogue: [5, 'text', null, undefined],
      'limits{}': [5, 'text', null, undefined],
      'limits.joinMax': [...bad.wholes, 0],
      'limits.joinBytes': [...bad.wholes, 0],
      'bounds{}': [5, 'text', null],
      'bounds.rooms': [...bad.wholes, 0],
      'bounds.devicesPerPlayer': [...bad.wholes, 0],
      'bounds.joinMs': [...durations, 0, 2 ** 31],
      'bounds.unreadBytes': [...bad.wholes, 0],
      'bounds.framesPerSecond': [...bad.wholes, 0],
      clock: [...parts, undefined],
    },
  },
];

function contractOf(given: object): object {
  return Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(contractShape, name)));
}

function rulesOf(given: object): object {
  return Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(rulesShape, name)));
}

export const cases: readonly Case[] = [
  kibble,
  beside,
  timers,
  operators,
  guard,
  ...ofTimers,
  ...ofHomes,
  ...ofRules,
  ...few,
];
