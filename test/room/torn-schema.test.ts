import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { Modules } from '../../server/domain/modules.ts';
import { homeMessages } from '../../server/room/home-messages.ts';
import { puppet } from '../support/modules/puppet.ts';

it('a quote whose command has a schema that fails is refused, and the log has the fault', async () => {
  const torn = z.object({
    bag: z.any().transform(() => {
      throw new Error('torn');
    }),
  });
  const faults: unknown[] = [];
  const send = vi.fn();
  const messages = homeMessages({
    modules: new Modules([puppet('aa', { commands: { say: torn } })]),
    homes: {} as never,
    sessionOf: () => ({ playerId: 'ann' }) as never,
    onFault: (...fault) => faults.push(fault),
  });
  const question = { commandId: 'question-1', command: 'aa:say', payload: { bag: 1 } };
  messages['home:quote']({ send } as never, question as never, {} as never);
  await vi.waitFor(() => expect(send).toHaveBeenCalled());
  expect(send.mock.calls).toMatchObject([['home:rejected', { commandId: 'question-1', code: 'module/fault' }]]);
  expect(faults).toMatchObject([['a command could not be read', { module: 'aa', rule: 'commands.aa:say' }]]);
});
