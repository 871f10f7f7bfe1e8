import { expect, it } from 'vitest';
import { timerCalls } from '../../../server/timer/write/timer-calls.ts';
import { OptionsRefused } from '../../../shared/options/options-refused.ts';
import { readOptions } from '../../../shared/options/read-options.ts';

/** The faults of the arguments, each as `where what`. */
const faultsOf = (call: keyof typeof timerCalls, given: object): readonly string[] => {
  try {
    readOptions<unknown, object>(timerCalls[call], given, call);
    return [];
  } catch (error) {
    if (!(error instanceof OptionsRefused)) throw error;
    return error.faults.map(({ path, what }) => `${path} ${what}`);
  }
};

it.each([
  ['its id', { timerId: '7' }, []],
  ['its kind and subject', { kind: 'mail', subject: 'a' }, []],
  ['its id, and a kind', { timerId: '7', kind: 'mail' }, []],
  ['nothing', {}, ['targets[0] names no timer']],
  ['a kind alone', { kind: 'mail' }, ['targets[0] names no timer']],
  ['a subject alone', { subject: 'a' }, ['targets[0] names no timer']],
])('a timer is named by its id, or by kind and subject: by %s', (_, target, faults) => {
  expect(faultsOf('cancel', { targets: [target] })).toEqual(faults);
});

const timer = { kind: 'mail', subject: 'a', owner: 'ann' };
const noDueTime = ['timers[0].dueAtMs is missing'];
it.each([
  ['a due time', { dueAtMs: 5 }, []],
  ['a time from now', { inMs: 5 }, []],
  ['both', { dueAtMs: 5, inMs: 5 }, ['timers[0].inMs stands beside `dueAtMs`']],
  ['neither', {}, noDueTime],
  ['a cron', { cron: { expression: '0 9 * * *', timeZone: 'UTC' } }, []],
  ['a recurrence that says where it begins', { every: { ms: 60_000, fromMs: 5 } }, []],
  ['a recurrence that does not', { every: { ms: 60_000 } }, noDueTime],
])('a new timer has one due time, or a recurrence with its own: with %s', (_, given, faults) => {
  expect(faultsOf('schedule', { timers: [{ ...timer, ...given }] })).toEqual(faults);
});

it('a missing payload is told from null', () => {
  expect(faultsOf('setPayload', { items: [{ timerId: '7', payload: null }] })).toEqual([]);
  expect(() =>
    readOptions<unknown, object>(timerCalls.setPayload, { items: [{ timerId: '7' }] }, 'setPayload'),
  ).toThrow('give a payload; `null` for none');
});
