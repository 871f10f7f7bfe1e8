import { expect, it } from 'vitest';
import { followHome, OptionsRefused } from '../../../client/follow/follow-home.ts';
import { checkOptions, type known } from '../../../client/follow/follow-options.ts';

/** The faults of each option: a new option without a row fails. */
const rows: Readonly<Record<keyof typeof known, readonly unknown[]>> = {
  client: [undefined, null, 5, {}, { joinOrCreate: () => undefined }],
  tokens: [null, 5, {}, { load: () => undefined }],
  signIn: [null, 5, 'guest'],
  join: [null, 5, 'home'],
  since: [null, 5, {}, { epoch: 'a' }, { epoch: 'a', seq: 1.5 }, { epoch: 5, seq: 1 }],
  onHome: [null, 5, {}],
  onEvents: [null, 5, {}],
  onConnection: [null, 5, {}],
  onNewLog: [null, 5, {}],
  versions: [null, 5, { pets: '1' }, { pets: 1.5 }],
  onOutdated: [null, 5, {}],
  onRules: [null, 5, {}],
  onFault: [null, 5, {}],
  platform: [null, 5, {}, { nowMs: () => 0 }],
};
const client = { joinOrCreate: () => undefined, auth: { signInAnonymously: () => undefined } };

it.each(Object.entries(rows))('followHome refuses a wrong %s by its name, before it joins', (option, values) => {
  for (const wrong of values) {
    const faults = [expect.objectContaining({ path: option, code: 'options/invalid' })];
    const open = (): unknown => followHome({ client, [option]: wrong } as never);
    expect(open).toThrow(OptionsRefused);
    expect(open).toThrow(expect.objectContaining({ retryable: false, faults }));
  }
});

it('names an option that nobody knows, and all faults at once', () => {
  expect(() => checkOptions({ onHome: 5, onEvent: () => undefined })).toThrow(
    expect.objectContaining({
      faults: ['client', 'onHome', 'onEvent'].map((path) => expect.objectContaining({ path })),
    }),
  );
});

it.each([undefined, null, 5, 'client'])('refuses %s in place of options', (given) => {
  expect(() => followHome(given as never)).toThrow(OptionsRefused);
});
