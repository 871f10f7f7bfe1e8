import { expect, it } from 'vitest';
import { z } from 'zod';
import { judge } from '../../server/domain/decide.ts';
import { fold } from '../../server/domain/evolve.ts';
import { Modules } from '../../server/domain/modules.ts';
import { openAccount, openHome } from '../../server/domain/open-home.ts';
import { newHome } from '../../shared/home.ts';
import type { Chance } from '../../shared/module/scene.ts';
import { homeWith, puppet } from '../support/modules/puppet.ts';

it('leaves a module whose rules this process cannot read to one that can, in a new home too', () => {
  const gifts = puppet('gifts', {
    config: z.object({}),
    given: { config: {}, json: {} },
    starter: () => ({ gold: 5 }),
    open: () => [{ type: 'set', thing: 'gift' }],
  });
  const readable = new Modules([puppet('aa', { starter: () => ({ wood: 1 }) }), gifts]);
  const unread = { number: 1, configs: new Map([['gifts', undefined]]), versions: new Map(), items: [] };
  const older = readable.by(unread);
  const opened = fold(older, newHome('anna'), openHome(older, newHome('anna'), { nowMs: 100 }));
  expect(opened).toMatchObject({ opened: ['aa'], items: { wood: 1 }, things: {} });
  const later = openHome(readable, opened, { nowMs: 200 });
  expect(later).toMatchObject([
    { type: 'module-opened', module: 'gifts', items: { gold: 5 } },
    { type: 'gifts/set', thing: 'gift' },
  ]);
  expect(fold(readable, opened, later)).toMatchObject({ opened: ['aa', 'gifts'], items: { wood: 1, gold: 5 } });
});

it('begins a new home where no module can be read here: its log has a first event all the same', () => {
  const village = puppet('village', { config: z.object({}), given: { config: {}, json: {} } });
  const unread = { number: 1, configs: new Map([['village', undefined]]), versions: new Map(), items: [] };
  const older = new Modules([village]).by(unread);
  expect(openHome(older, newHome('anna'), { nowMs: 100 })).toMatchObject([
    { type: 'items-granted', seq: 1, items: {}, opened: [] },
  ]);
});

it('opens for an account what its guest has opened, also where the rules cannot be read: no later opening sets the guest’s things anew', () => {
  const village = puppet('village', {
    config: z.object({}),
    given: { config: {}, json: {} },
    starter: () => ({ gold: 5 }),
    open: () => [{ type: 'set', thing: 'hall' }],
  });
  const readable = new Modules([puppet('town'), village]);
  const older = readable.by({
    number: 1,
    configs: new Map([['village', undefined]]),
    versions: new Map(),
    items: [],
  });
  const account = { ...newHome('ann'), seq: 3, lastAtMs: 1, opened: ['town'] };
  const guest = { ...newHome('guest'), seq: 3, lastAtMs: 1, opened: ['town', 'village'] };
  const opened = fold(older, account, openAccount(older, account, guest, 5));
  expect(opened.opened).toEqual(['town', 'village']);
  expect(opened.items).toEqual({});
  expect(openAccount(readable, account, guest, 5)).toMatchObject([{ module: 'village', items: { gold: 5 } }]);
  expect(openHome(readable, opened, { nowMs: 6 })).toEqual([]);
});

it('refuses the commands of a module whose rules this process cannot read, and no others', () => {
  const config = { config: z.object({}), given: { config: {}, json: {} } };
  const unread = { number: 1, configs: new Map([['bb', undefined]]), versions: new Map(), items: [] };
  const modules = new Modules([puppet('aa'), puppet('bb', config)]).by(unread);
  const say = (module: string) => {
    const command = { type: `${module}:say`, events: [{ type: 'set', thing: 'x' }] } as never;
    return judge({ modules, home: homeWith(modules, {}), command, commandId: 'command-1', nowMs: 150 }).decision;
  };
  expect(say('aa')).toMatchObject({ ok: true });
  expect(say('bb')).toMatchObject({ ok: false, error: { code: 'server/unavailable', retryable: true } });
});

it('lets a rule draw no longer once its opening is over', () => {
  let kept: Chance | undefined;
  const open = ({ chance }: { readonly chance: Chance }) => {
    kept = chance;
    return [];
  };
  openHome(new Modules([puppet('aa', { open })]), newHome('anna'), { nowMs: 1 });
  expect(() => kept?.fraction()).toThrow('when its call is over');
});
