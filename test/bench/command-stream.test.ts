import { expect, it } from 'vitest';
import { CommandStream } from '../../bench/game/running-game.ts';

it('measures the commands too that have no reply when it is stopped', async () => {
  const asked = Promise.withResolvers<void>();
  const reply = Promise.withResolvers<void>();
  const handle = async () => {
    asked.resolve();
    await reply.promise;
    return [{ ok: true }];
  };
  const commands = new CommandStream({ handle } as never, () => 'ann', 1_000);
  commands.start();
  await asked.promise;
  const stopped = commands.stop();
  reply.resolve();
  expect((await stopped)['command max']).toBeGreaterThan(0);
});

it.each([
  ['is refused', async () => [{ ok: false, error: { code: 'item/missing' } }], 'item/missing'],
  ['fails', () => Promise.reject(new Error('the pool has ended')), 'the pool has ended'],
])('ends, and says so when it is stopped, if a command %s', async (_how, reply, said) => {
  const asked = Promise.withResolvers<void>();
  const handle = () => {
    asked.resolve();
    return reply();
  };
  const commands = new CommandStream({ handle } as never, () => 'ann', 1_000);
  commands.start();
  await asked.promise;
  await commands.end();
  await expect(commands.stop()).rejects.toThrow(said);
});
