import { once } from 'node:events';
import { connect } from 'node:net';
import { Registry } from '@prometheus-io/client';
import { expect, it, onTestFinished } from 'vitest';
import { createRateLimit } from '../../server/http/rate-limit.ts';
import { startProbeServer } from '../../server/reference/probe-server.ts';

it('cuts a connection whose headers do not end, as the port of a gateway does', async () => {
  const { address, close } = await startProbeServer({
    port: 0,
    host: '127.0.0.1',
    health: { degraded: async () => [] },
    metrics: new Registry(),
    operatorOf: () => undefined,
    wrongTokens: createRateLimit({ count: 3, perMs: 60_000 }),
  });
  onTestFinished(close);
  const { hostname, port } = new URL(address);
  const slow = connect(Number(port), hostname);
  slow.write('GET /livez HTTP/1.1\r\nhost: ');
  let said = '';
  slow.on('data', (bytes) => {
    said += bytes;
  });
  await once(slow, 'close');
  expect(said).toMatch(/^HTTP\/1\.1 408 /);
}, 30_000);
