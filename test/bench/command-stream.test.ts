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
