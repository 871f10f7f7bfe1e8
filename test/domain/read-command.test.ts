import { expect, it } from 'vitest';
import { Modules } from '../../server/domain/modules.ts';
import { readCommand } from '../../server/domain/read-command.ts';
import { puppet } from '../support/modules/puppet.ts';

const modules = new Modules([puppet('aa')]);
const read = (type: string, payload: unknown) =>
  readCommand(modules, type, { commandId: 'command-1', ...Object(payload) });
const faults = (type: string, payload: unknown = {}) => {
  const result = read(type, payload);
  return result.ok ? [] : result.error;
};

it('reads a command of its module', () => {
  expect(read('aa:say', { events: [] })).toEqual({
    ok: true,
    value: { commandId: 'command-1', command: { type: 'aa:say', events: [] } },
  });
});

it('says which command was meant, where one is near', () => {
  const message = 'is no command: "aa:sya"; did you mean aa:say?';
  expect(faults('aa:sya')).toMatchObject({ code: 'command/invalid', params: { faults: [{ path: 'type', message }] } });
  expect(faults('q')).toMatchObject({ params: { faults: [{ path: 'type', message: 'is no command: "q"' }] } });
});

it('compares the first 64 characters of a longer name with the commands', () => {
  const long = new Modules([puppet('a-village-of-many-houses')]);
  const result = readCommand(long, `a-village-of-many-houses:say${'-'.repeat(50)}`, {});
  expect(result.ok ? '' : result.error).toMatchObject({
    params: { faults: [{ message: expect.stringContaining('; did you mean a-village-of-many-houses:say?') }] },
  });
});

it('says where a payload is nothing that an event can store, in at most 100 characters', () => {
  const name = 'x'.repeat(200);
  expect(faults('aa:say', { events: [], [name]: Number.NaN })).toMatchObject({
    code: 'command/invalid',
    params: { faults: [{ path: 'x'.repeat(100), message: expect.any(String) }] },
  });
});

it('names the module and the command of a schema that fails', () => {
  const torn = new Modules([puppet('aa')]);
  const module = torn.all[0];
  const schema = module?.commands.get('say');
  if (schema) {
    schema._zod.run = () => {
      throw new Error('torn');
    };
  }
  expect(readCommand(torn, 'aa:say', { commandId: 'command-1', events: [] })).toMatchObject({
    ok: false,
    error: { code: 'module/fault', params: { module: 'aa' } },
    fault: { module: 'aa', rule: 'commands.aa:say' },
  });
});
