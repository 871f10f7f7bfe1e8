import { expect, it } from 'vitest';
import { serialQueue } from '../../../server/room/session/commands.ts';

it('the next begins when the one before has ended, however it ended', async () => {
  const turn = serialQueue();
  const said: string[] = [];
  const first = Promise.withResolvers<void>();
  const act = (name: string, end: Promise<void> = Promise.resolve()) =>
    turn(async () => {
      said.push(`${name} begins`);
      await end.finally(() => said.push(`${name} ends`));
      return name;
    });
  const [one, two] = [act('one', first.promise), act('two')];
  first.reject(new Error('planted'));
  await expect(one).rejects.toThrow('planted');
  expect(await two).toBe('two');
  expect(said).toEqual(['one begins', 'one ends', 'two begins', 'two ends']);
});
