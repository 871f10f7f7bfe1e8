import { expect, it } from 'vitest';
import { timerKinds } from '../../../server/timer/model/kind-shape.ts';
import { OptionsRefused } from '../../../shared/options/options-refused.ts';
import { readOptions } from '../../../shared/options/read-options.ts';

const run = () => undefined;
/** The faults of one kind, each as `where: what: remedy`. */
const faultsOf = (kind: object): readonly string[] => {
  try {
    readOptions(timerKinds, [{ kind: 'mail', ...kind }], 'createTimers');
    return [];
  } catch (error) {
    if (!(error instanceof OptionsRefused)) throw error;
    expect(error.code).toBe('options/invalid');
    return error.faults.map(({ path, what, remedy }) => `${path} ${what}: ${remedy}`);
  }
};
const missing = (handler: string) => `[0].${handler} is missing: give the kind a \`fire\` or a \`call\``;
const ofCalls = (name: string) => `[0].${name} is of kinds with a \`call\`: leave it out`;

it.each([
  ['a fire', { fire: run, retentionMs: 0 }],
  ['a call', { call: run }],
  ['a call with what only calls have', { call: run, timeoutMs: 1, atOnce: 1 }],
])('a kind has %s', (_, kind) => {
  expect(faultsOf(kind)).toEqual([]);
});

it.each([
  ['neither', {}, [missing('fire')]],
  ['neither, and what only a call has', { timeoutMs: 1 }, [missing('call')]],
  ['neither, and the other thing that only a call has', { atOnce: 1 }, [missing('call')]],
  ['both', { fire: run, call: run }, ['[0].call stands beside `fire`: a kind has one of them: make two kinds']],
  [
    'a fire, and what only calls have',
    { fire: run, timeoutMs: 1, atOnce: 1 },
    [ofCalls('timeoutMs'), ofCalls('atOnce')],
  ],
  ['a fire, and a time-out', { fire: run, timeoutMs: 1 }, [ofCalls('timeoutMs')]],
  ['a fire, and a bound of calls', { fire: run, atOnce: 1 }, [ofCalls('atOnce')]],
])('is refused with %s, each fault with what to do', (_, kind, faults) => {
  expect(faultsOf(kind)).toEqual(faults);
});

it('has a name of its own among the kinds of a process', () => {
  const kinds = [
    { kind: 'mail', fire: run },
    { kind: 'mail', call: run },
  ];
  expect(() => readOptions(timerKinds, kinds, 'createTimers')).toThrow(OptionsRefused);
});
