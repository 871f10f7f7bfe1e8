import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { Modules } from '../../../server/domain/modules.ts';
import { homeMessages } from '../../../server/room/home-messages.ts';
import { Questions } from '../../../server/room/session/commands.ts';
import type { Rejection } from '../../../shared/protocol.ts';
import { puppet } from '../../support/modules/puppet.ts';

const answerTo = () => {
  const refused: Rejection['code'][] = [];
  return { refused, refuse: ({ code }: Rejection): void => void refused.push(code) };
};

it('the next begins when the one before has ended, however it ended', async () => {
  const questions = new Questions();
  const said: string[] = [];
  const first = Promise.withResolvers<void>();
  const act = (name: string, end: Promise<void> = Promise.resolve()) =>
    questions.ask(answerTo(), async () => {
      said.push(`${name} begins`);
      await end.finally(() => said.push(`${name} ends`));
    });
  const [one, two] = [act('one', first.promise), act('two')];
  first.reject(new Error('planted'));
  await expect(one).rejects.toThrow('planted');
  await two;
  expect(said).toEqual(['one begins', 'one ends', 'two begins', 'two ends']);
});

it('at most 64 wait, and after the end none is read', async () => {
  const questions = new Questions();
  const gate = Promise.withResolvers<void>();
  const answer = answerTo();
  let reads = 0;
  const ask = () =>
    questions.ask(answer, async () => {
      await gate.promise;
      reads += 1;
    });

  const first = Array.from({ length: 100 }, ask);
  expect(answer.refused).toEqual(Array(35).fill('rate/limited'));
  gate.resolve();
  await Promise.all(first);
  expect(reads).toBe(65);

  const later = Array.from({ length: 10 }, ask);
  questions.end();
  await Promise.all(later);
  expect([reads, answer.refused.length]).toEqual([65, 45]);
  expect(answer.refused.slice(35)).toEqual(Array(10).fill('server/unavailable'));
});

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
