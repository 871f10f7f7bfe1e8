import { expect, it } from 'vitest';
import type { LoadedRows } from '../../../server/adapter/postgres/home/home-loader.ts';
import type { StoredThing } from '../../../server/adapter/postgres/home/home-rows.ts';
import { thingWrites } from '../../../server/adapter/postgres/home/thing-writes.ts';
import { Modules } from '../../../server/domain/modules.ts';
import { homeWith, type Puppet, puppet } from '../../support/modules/puppet.ts';

const modules = new Modules([puppet('aa'), puppet('bb')]);
const ids = Array.from({ length: 1000 }, (_, place) => `thing${place}`);
const everyOne = (thing: Puppet): Readonly<Record<string, Puppet>> =>
  Object.fromEntries(ids.map((id) => [id, { ...thing }]));

it('a batch that changes all things of a home looks at each row a few times, not once for each thing', () => {
  const before = homeWith(modules, { aa: everyOne({}), bb: everyOne({}) });
  const { thing0, ...others } = everyOne({ dueAtMs: 500 });
  const after = { ...before, things: { aa: others, bb: before.things.bb ?? {} } };
  let looks = 0;
  const rows = ['aa', 'bb'].flatMap((module) =>
    ids.map((thing_id, place): StoredThing => {
      const row = {
        player_id: 'anna',
        module,
        version: 1,
        state: {},
        id: `${module}${place}`,
        revision: 1,
        due_at: null,
      };
      return Object.defineProperty({ ...row, thing_id: '' }, 'thing_id', {
        get: () => {
          looks += 1;
          return thing_id;
        },
      });
    }),
  );
  const things = new Map([['anna', rows]]);
  const loaded = { things, homes: new Map([['anna', before]]) } as Partial<LoadedRows> as LoadedRows;
  const change = { before, after, events: [], commands: new Map() };
  const { saved, added, removed, put } = thingWrites(modules, [change], loaded);
  expect([saved.length, added.length, removed.length]).toEqual([999, 0, 1]);
  expect(put[0]).toEqual({ timerId: 'aa1', owner: 'anna', fireAtMs: 500, revision: 2 });
  expect(looks).toBeLessThan(10 * rows.length);
});
