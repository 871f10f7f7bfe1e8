import {
  callable,
  type FaultAt,
  fields,
  LONGEST_DELAY_MS,
  list,
  listOfNamed,
  textOf,
  value,
  whole,
  wholeMs,
} from '../../../shared/options/shapes.ts';
import { misfire } from '../recurrence/check-recurrence.ts';
import type { CallKind, DerivedKind, FireKind } from './timer-kind.ts';

const MOST_AT_ONCE = 10_000;
const MOST_RETRIES = 10_000;
const LONGEST_RETRY_MS = 366 * 86_400_000;
const LONGEST_RETENTION_MS = 100 * 366 * 86_400_000;
const LONGEST_NAME = 512;

type GivenKind = { readonly [Name in keyof (CallKind & FireKind & DerivedKind)]?: unknown };

/** A kind is one of three: `fire`, `call`, or `derived` with `settle`. The engine asks which of these names are there. */
const ofOneSort = (given: GivenKind): readonly FaultAt[] => {
  const [handler = 'fire', ...others] = (['fire', 'call', 'settle'] as const).filter((name) => name in given);
  const faults: FaultAt[] = others.map((name) => {
    return { at: [name], what: `stands beside \`${handler}\``, remedy: 'a kind has one of them: make two kinds' };
  });
  const add = (name: keyof GivenKind, what: string, remedy: string, code?: FaultAt['code']): void => {
    faults.push({ at: [name], what, remedy, ...(code && { code }) });
  };
  if (given[handler] === undefined) add(handler, 'is missing', 'give the kind a `fire` or a `call`');
  if ('derived' in given !== (handler === 'settle')) add('derived', 'is not as `settle`', 'give both, or none of them');
  for (const name of ['timeoutMs', 'atOnce'] as const) {
    if (handler !== 'call' && given[name] !== undefined) add(name, 'is of kinds with a `call`', 'leave it out');
  }
  if (handler === 'settle' && given.retentionMs !== undefined) {
    add('retentionMs', 'is of no derived kind', 'its timers are not kept when they are over: leave it out');
  }
  if (handler === 'settle' && given.misfire !== undefined) {
    add('misfire', 'is of no derived kind', 'an owner is settled however late: leave it out', 'timer/bad-misfire');
  }
  return faults;
};

const kind = fields<DerivedKind | FireKind | CallKind>(
  {
    kind: textOf(LONGEST_NAME),
    derived: value((given) => given === true, 'give true, or leave it out').optional(),
    settle: callable.optional(),
    fire: callable.optional(),
    call: callable.optional(),
    timeoutMs: wholeMs({ min: 1, max: LONGEST_DELAY_MS }).optional(),
    atOnce: whole({ min: 1, max: MOST_AT_ONCE }).optional(),
    retryDelaysMs: list(wholeMs({ min: 0, max: LONGEST_RETRY_MS }))
      .max(MOST_RETRIES, `give at most ${MOST_RETRIES} delays`)
      .optional(),
    misfire: misfire.optional(),
    retentionMs: wholeMs({ min: 0, max: LONGEST_RETENTION_MS }).optional(),
  },
  ofOneSort,
);

/** The kinds of one process: each name once. */
export const timerKinds = listOfNamed(kind, 'kind');
