import type { FaultAt } from '../../../shared/options/schema.ts';
import {
  callable,
  fields,
  LONGEST_DELAY_MS,
  list,
  listOfNamed,
  textUpTo,
  whole,
  wholeMs,
} from '../../../shared/options/shapes.ts';
import { misfire } from '../recurrence/check-recurrence.ts';
import type { CallKind, FireKind } from './timer-kind.ts';

const MOST_AT_ONCE = 10_000;
const MOST_RETRIES = 10_000;
const LONGEST_RETRY_MS = 366 * 86_400_000;
const LONGEST_RETENTION_MS = 100 * 366 * 86_400_000;
const LONGEST_NAME = 512;

type GivenKind = { readonly [Name in keyof (CallKind & FireKind)]?: unknown };

/** A kind has either a `fire` or a `call`: the engine chooses by the name that is present. */
const ofOneSort = (given: GivenKind): readonly FaultAt[] => {
  const likely = given.timeoutMs === undefined && given.atOnce === undefined ? 'fire' : 'call';
  const [handler = likely, ...others] = (['fire', 'call'] as const).filter((name) => given[name] !== undefined);
  const faults: FaultAt[] = others.map((name) => {
    return { at: [name], what: `stands beside \`${handler}\``, remedy: 'a kind has one of them: make two kinds' };
  });
  const add = (name: keyof GivenKind, what: string, remedy: string, code?: FaultAt['code']): void => {
    faults.push({ at: [name], what, remedy, ...(code && { code }) });
  };
  if (given[handler] === undefined) add(handler, 'is missing', 'give the kind a `fire` or a `call`');
  for (const name of ['timeoutMs', 'atOnce'] as const) {
    if (handler !== 'call' && given[name] !== undefined) add(name, 'is of kinds with a `call`', 'leave it out');
  }
  return faults;
};

const kind = fields<FireKind | CallKind>(
  {
    kind: textUpTo(LONGEST_NAME),
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
