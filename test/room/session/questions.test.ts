import { expect, it } from 'vitest';
import { Questions } from '../../../server/room/session/commands.ts';
import type { Rejection } from '../../../shared/protocol.ts';

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
