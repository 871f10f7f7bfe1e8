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
const LONGEST_NAME = 512;

/** The fields that only calls have. */
const OF_CALLS = ['timeoutMs', 'atOnce'] as const;

const handlersOf = (given: Handlers): readonly (keyof Handlers)[] =>
  (['fire', 'call', 'settle'] as const).filter((name) => given[name] !== undefined);

type Handlers = { readonly [Name in 'fire' | 'call' | 'settle']?: unknown };

/** A kind is one of three: `fire`, `call`, or `derived` with `settle`. */
const ofOneSort = (given: Handlers & { readonly [Name in keyof (CallKind & DerivedKind)]?: unknown }): FaultAt[] => {
  const [handler, ...others] = handlersOf(given);
  if (handler === undefined)
    return [
      { at: ['call' in given ? 'call' : 'fire'], what: 'is missing', remedy: 'give the kind a `fire` or a `call`' },
    ];
  const faults = others.map((name): FaultAt => {
    return { at: [name], what: `stands beside \`${handler}\``, remedy: 'a kind has one of them: make two kinds' };
  });
  const wrong = handler === 'call' ? [] : OF_CALLS.filter((name) => given[name] !== undefined);
  for (const name of wrong) faults.push({ at: [name], what: 'is of kinds with a `call`', remedy: 'leave it out' });
  if (handler === 'settle' && given.misfire !== undefined) {
    const what = 'is of kinds that are no derived ones';
    faults.push({
      at: ['misfire'],
      code: 'timer/bad-misfire',
      what,
      remedy: 'an owner is settled however late: leave it out',
    });
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
  },
  ofOneSort,
);

/** The kinds of one process: each name once. */
export const timerKinds = listOfNamed(kind, 'kind');
