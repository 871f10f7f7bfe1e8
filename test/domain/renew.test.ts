import { expect, it } from 'vitest';
import { judge } from '../../server/domain/decide.ts';
import { Modules } from '../../server/domain/modules.ts';
import { homeWith, type Puppet, puppet } from '../support/modules/puppet.ts';

const set = (thing: string, note: string) => ({ type: 'set', thing, note });
/** Sets a note of `new` where there is an older one. */
const renew = ({ things }: { readonly things: Readonly<Record<string, Puppet | undefined>> }) =>
  Object.entries(things).flatMap(([id, thing]) => (thing?.note === 'old' ? [set(id, 'new')] : []));

const say = (rules: Readonly<Record<string, unknown>>, events: readonly object[]) => {
  const modules = new Modules([puppet('aa'), puppet('bb', rules)]);
  const home = homeWith(modules, { aa: {}, bb: { hut: { note: 'old' } } });
  const command = { type: 'aa:say', events } as never;
  return judge({ modules, home, command, commandId: 'command-1', nowMs: 150 });
};

it('what goes on by itself is renewed behind any accepted command of the player, by events of its own', () => {
  const { decision } = say({ renew }, [set('mill', 'x')]);
  expect(decision).toMatchObject({
    ok: true,
    value: [
      { type: 'aa/set', thing: 'mill', seq: 11, commandId: 'command-1' },
      { type: 'bb/set', thing: 'hut', note: 'new', seq: 12, at: 150 },
    ],
    home: { things: { bb: { hut: { note: 'new' } } } },
  });
});

it('is not renewed where the command is refused, or the rule has nothing to renew', () => {
  const refused = say({ renew }, [{ type: 'set', thing: 'mill', items: { wood: -1 } }]);
  expect(refused).toMatchObject({ decision: { ok: false, error: { code: 'item/out-of-stock' } } });
  expect(refused.home.things.bb).toEqual({ hut: { note: 'old' } });
  for (const rests of [() => [], () => undefined]) {
    expect(say({ renew: rests }, [set('mill', 'x')]).decision).toMatchObject({ ok: true, value: [{ seq: 11 }] });
  }
});

it('costs this command alone where the rule fails', () => {
  const fails = () => {
    throw new Error('torn');
  };
  const takes = () => [{ ...set('hut', 'new'), items: { wood: -1 } }];
  for (const broken of [fails, takes, () => [{ type: 'sung', thing: 'hut' }]]) {
    expect(say({ renew: broken }, [set('mill', 'x')]).decision).toMatchObject({
      ok: false,
      error: { code: 'module/fault', params: { module: 'bb' } },
      fault: { rule: 'renew' },
    });
  }
});
