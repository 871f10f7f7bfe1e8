import { describe, expect, it } from 'vitest';
import { createLog } from '../../server/telemetry/log.ts';
import { callGame, callGameNow, causesOf, GameFault, handleRejection, isA, textOf } from '../../shared/game-code.ts';
import { hostileThrows } from './hostile.ts';

const whose = 'handler of kind "mail"';
const thrower = (make: () => unknown) => (): never => {
  throw make();
};
const faultOf = async (work: () => unknown): Promise<GameFault> => {
  const thrown = await callGame(whose, work).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof GameFault)) throw new Error('it is no GameFault');
  return thrown;
};

describe.each(hostileThrows)('$what, thrown by code of a game', ({ make, said }) => {
  it('comes out as a fault that names whose code it was, and says what was thrown', async () => {
    const one = make();
    const fault = await faultOf(thrower(() => one));
    expect(fault.text).toMatch(said);
    expect(fault.message).toBe(`${whose}: ${fault.text}`);
    expect([fault.whose, fault.code, fault.name]).toEqual([whose, 'game/fault', 'GameFault']);
    expect(Object.is(fault.thrown, one)).toBe(true);
    expect(Object.keys(fault)).toEqual(['code', 'whose', 'name']);
    expect(textOf(one)).toBe(fault.text);
  });

  it('is the same by a promise, by a thenable, and where it is not to be async', async () => {
    expect((await faultOf(() => Promise.reject(make()))).text).toMatch(said);
    // biome-ignore lint/suspicious/noThenProperty: a thenable is what is tried
    expect((await faultOf(() => ({ then: thrower(make) }))).text).toMatch(said);
    expect(() => callGameNow(whose, thrower(make))).toThrow(GameFault);
  });

  it('is a line of the log', async () => {
    const lines: string[] = [];
    const log = createLog({
      level: 'info',
      isForReader: true,
      destination: { write: (line) => void lines.push(line) },
    });
    log.error({ err: await faultOf(thrower(make)) }, 'it failed');
    expect(lines.join('')).toContain(`GameFault: ${whose}: `);
  });
});

it('a value comes out as it is, awaited', async () => {
  expect(await callGame(whose, () => 7)).toBe(7);
  expect(await callGame(whose, async () => 7)).toBe(7);
  expect(callGameNow(whose, () => 7)).toBe(7);
});

it('a fault inside of a fault stays the inner one: the code that threw is the one to name', async () => {
  const inner = await faultOf(() => Promise.reject('no food'));
  expect(await callGame('another', () => Promise.reject(inner)).catch((error: unknown) => error)).toBe(inner);
});

it('a promise where none may be is a fault by name, and its rejection ends no process', async () => {
  expect(() => callGameNow('playerId', async () => 'ann')).toThrow('playerId: TypeError: it returned a promise');
  expect(() => callGameNow('playerId', () => Promise.reject('no'))).toThrow(
    'playerId: TypeError: it returned a promise',
  );
  const heard = Promise.withResolvers<unknown>();
  handleRejection(Promise.reject('no'), heard.resolve);
  expect(await heard.promise).toBe('no');
});

it('the stack has the frames of what was thrown', async () => {
  const fault = await faultOf(function brew() {
    throw new Error('no food');
  });
  expect(fault.stack).toMatch(/^GameFault: handler of kind "mail": Error: no food\n +at brew /);
});

it('causes are found through a fault, and asked without being touched', async () => {
  const cause = new RangeError('inner');
  const fault = await faultOf(() => Promise.reject(new Error('outer', { cause })));
  expect(causesOf(fault)).toEqual([fault, fault.thrown, cause]);
  expect(fault.cause).toBe(undefined);
  expect([isA(cause, RangeError), isA(fault, RangeError)]).toEqual([true, false]);
});
