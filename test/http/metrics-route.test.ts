import { Gauge, Registry } from '@prometheus-io/client';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { operatorAuth } from '../../server/http/operator-auth.ts';
import { startProbeServer } from '../../server/reference/probe-server.ts';

const TOKEN = 'Zx81kQmW4vTn7LrB2yHcD5sJ';
let server: Awaited<ReturnType<typeof startProbeServer>>;

beforeEach(async () => {
  const metrics = new Registry();
  new Gauge({ name: 'kibble_test', help: 'A gauge.', registers: [metrics] }).set(7);
  server = await startProbeServer({
    port: 0,
    host: '127.0.0.1',
    health: { degraded: async () => [] },
    metrics,
    operatorOf: operatorAuth([{ name: 'prometheus', role: 'viewer', token: TOKEN }]),
  });
});
afterEach(() => server.close());

const scrape = (headers: Record<string, string>): Promise<Response> => fetch(`${server.address}/metrics`, { headers });

it('shows the metrics to an operator of any role', async () => {
  const response = await scrape({ authorization: `Bearer ${TOKEN}` });

  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch('text/plain; version=0.0.4');
  expect(await response.text()).toContain('\nkibble_test 7\n');
});

it.each([{}, { authorization: 'Bearer nobody' }])('shows them to nobody else: %o', async (headers: object) => {
  const response = await scrape({ ...headers });

  expect(response.status).toBe(401);
  expect(await response.text()).not.toContain('kibble_test');
});
