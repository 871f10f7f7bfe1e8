import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { rulesAt } from '../../load/known-rules.ts';

/** A process that accepts connections and never replies, as a frozen one does. */
const frozen = createServer();
const sockets: Socket[] = [];
let url: string;

beforeEach(async () => {
  frozen.on('connection', (socket) => sockets.push(socket.on('error', () => undefined)));
  frozen.listen(0, '127.0.0.1');
  await once(frozen, 'listening');
  url = `http://127.0.0.1:${(frozen.address() as AddressInfo).port}`;
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  frozen.close();
  await once(frozen, 'close');
});

it('says of a server that never replies that nothing came', async () => {
  const { signal } = new AbortController();
  await expect(rulesAt(url, signal, 50)).rejects.toThrow(`no server answers at ${url}: nothing came in 0.05 s`);
});

it('says of a stop that it was one, and blames no server', async () => {
  const stop = new AbortController();
  const asked = rulesAt(url, stop.signal);
  const refused = expect(asked).rejects.toThrow('stopped');
  await once(frozen, 'connection');
  stop.abort();
  await refused;
});
