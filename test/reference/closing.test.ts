import { expect, it } from 'vitest';
import { startHomeServer } from '../support/game/home-server.ts';

it('a server that is closed twice ends once, and both hear when it has ended', async () => {
  const server = await startHomeServer();
  const ended = await Promise.all([server.close(), server.close()]);
  expect(ended).toEqual([undefined, undefined]);
  await expect(fetch(`${server.address}/livez`)).rejects.toThrow();
  await server.close();
});
