// The schemas of the arguments of each timer call.

import { TIMER_ID } from '../../../shared/ids.ts';
import { jsonData } from '../../../shared/options/json-data.ts';
import { add, type FaultAt, reading, type Schema } from '../../../shared/options/schema.ts';
import {
  callable,
  fields,
  instantMs,
  list,
  matching,
  notBoth,
  type Shape,
  textUpTo,
  whole,
} from '../../../shared/options/shapes.ts';
import { newTimer } from '../model/changed-timer.ts';
import { openTransaction } from '../model/open-transaction.ts';
import type { DueTime } from '../model/timer.ts';
import type { TimerTarget } from '../model/timer-changes.ts';
import type { CalledTimer } from '../model/timer-kind.ts';
import type { OfKinds, OnceOnly, TimerRequest, TimerWriter } from '../model/timer-writes.ts';
import { misfire, recurring, twoRecurrences } from '../recurrence/check-recurrence.ts';

/** A timer's payload; `null` is one. */
export const payloadShape = reading<unknown>((given, faults) => {
  if (given !== undefined) return jsonData.read(given, faults);
  add(faults, { at: [], remedy: 'give a payload; `null` for none' }, given);
  return given;
});

const LONGEST_NAME = 512;

/** A kind, subject, owner or idempotency key. */
export const timerName = textUpTo(LONGEST_NAME);

const names = list(timerName);

const due: Shape<DueTime> = { dueAtMs: instantMs().optional(), inMs: instantMs().optional() };

const twoDueTimes = notBoth('inMs', 'dueAtMs', { remedy: 'a due time is either `dueAtMs` or `inMs`' });

const oneDueTime = (given: { readonly dueAtMs?: unknown; readonly inMs?: unknown }): readonly FaultAt[] =>
  given.dueAtMs === undefined && given.inMs === undefined ? NO_DUE_TIME : twoDueTimes(given);

const NO_DUE_TIME: readonly FaultAt[] = [
  {
    at: ['dueAtMs'],
    what: 'is missing',
    remedy: 'give dueAtMs or inMs; a `cron`, and an `every` with `fromMs`, may do without',
  },
];

/** Accepts a whole row, or a handler's timer with another due time: `cancel(await listByOwner(owner))`. */
const row = {
  ...newTimer('', { kind: '', subject: '', owner: '', dueAtMs: 0 }, 0),
  ...{ isMisfire: false, lateMs: 0, missed: 0, idempotencyKey: '' },
} satisfies CalledTimer;

const request = fields<TimerRequest>(
  {
    kind: timerName,
    subject: timerName,
    owner: timerName,
    payload: payloadShape.optional(),
    misfire: misfire.optional(),
    ...recurring,
    ...due,
  },
  (given) => {
    const every = given.every as { readonly fromMs?: unknown } | null | undefined;
    const hasFirst = given.cron !== undefined || typeof every?.fromMs === 'number';
    return [...(hasFirst ? twoDueTimes : oneDueTime)(given), ...twoRecurrences(given)];
  },
  row,
);

/** The id of a row. */
const timerId = matching(TIMER_ID, 'give the `id` of a timer, which is text of digits without a leading zero');

const anyName = timerName.optional();
const key: Shape<TimerTarget> = { timerId: timerId.optional(), kind: anyName, subject: anyName };

const oneTarget = ({ timerId, kind, subject }: { readonly [Key in keyof typeof key]?: unknown }): readonly FaultAt[] =>
  timerId === undefined && (kind === undefined || subject === undefined) ? NO_TARGET : [];

const NO_TARGET: readonly FaultAt[] = [{ at: [], what: 'names no timer', remedy: 'give timerId, or kind and subject' }];

const ofTimer = <Item extends object>(shape: Shape<Item>) => fields<Item>(shape, oneTarget, row);

const target = ofTimer<TimerTarget>(key);
const onceOnly: Shape<OnceOnly> = { idempotencyKey: anyName };
const options = fields<OnceOnly>(onceOnly).optional();

const requests = fields({ timers: list(request), options });
const itemsOf = (item: Schema<object>) => fields({ items: list(item), options });
const targetsOf = (one: Schema<object>) => fields({ targets: list(one), options });
const targets = targetsOf(target);

/** The arguments of each call, by its name. */
export const timerCalls = {
  schedule: requests,
  scheduleOrMove: requests,
  reschedule: itemsOf(
    fields<TimerTarget & DueTime>({ ...key, ...due }, (given) => [...oneTarget(given), ...oneDueTime(given)], row),
  ),
  shift: itemsOf(ofTimer<TimerTarget & { readonly byMs: number }>({ ...key, byMs: instantMs() })),
  shiftByOwner: fields({
    owners: names,
    byMs: instantMs(),
    options: fields<OfKinds & OnceOnly>({ ...onceOnly, kinds: names.optional() }).optional(),
  }),
  shiftByKind: fields({ kinds: names, byMs: instantMs() }),
  cancelByKind: fields({ kinds: names }),
  setPayload: itemsOf(ofTimer<TimerTarget & { readonly payload: unknown }>({ ...key, payload: payloadShape })),
  fireNow: targets,
  pause: targets,
  resume: targets,
  complete: targetsOf(ofTimer<TimerTarget & { readonly result?: unknown }>({ ...key, result: jsonData.optional() })),
  cancel: targets,
  cancelByOwner: fields({ owners: names, options }),
  revive: targets,
} satisfies Record<keyof TimerWriter, unknown>;

const limit = whole({ min: 0, max: Number.MAX_SAFE_INTEGER }).optional();

/** The other calls of `timers`: see `TimerService`. */
export const serviceCalls = {
  transaction: fields({ work: callable }),
  within: fields({ tx: openTransaction }),
  find: fields<{ readonly targets: readonly TimerTarget[] }>({ targets: list(target) }),
  listByOwner: fields({ owner: timerName }),
  listDead: fields({ kinds: names, limit }),
  listStuck: fields({ limit }),
  pauseKind: fields({ kind: timerName }),
};
