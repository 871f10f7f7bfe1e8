import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { Registry } from '@prometheus-io/client';
import express from 'express';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { addMetrics } from '../../server/http/metrics-route.ts';
import { operatorAuth } from '../../server/http/operator-auth.ts';
import { opsRouter } from '../../server/http/ops-api.ts';
import { createRateLimit } from '../../server/http/rate-limit.ts';
import type { OpsHandlers } from '../../server/ops/ops.ts';
import { addressOf } from '../../server/reference/bounded-http.ts';
import { startProbeServer } from '../../server/reference/probe-server.ts';
import { ok } from '../../shared/result.ts';

const TOKEN = 'Zx81kQmW4vTn7LrB2yHcD5sJ';
const gate = () => ({
  operatorOf: operatorAuth([{ name: 'op', role: 'admin', token: TOKEN }]),
  wrongTokens: createRateLimit({ count: 3, perMs: 60_000 }),
});
const me = async () => ok({ name: 'op', role: 'admin' as const, hasDevTools: false });

let http: Server;
let address: string;
beforeEach(async () => {
  const app = express();
  const shared = gate();
  addMetrics(app, { metrics: new Registry(), ...shared });
  const ops = opsRouter({
    handlers: { me } as Partial<OpsHandlers> as OpsHandlers,
    onFault: () => undefined,
    maxBody: 1_000,
    ...shared,
  });
  app.use('/ops', ops);
  http = createServer(app).listen(0, '127.0.0.1');
  await once(http, 'listening');
  address = addressOf(http, '127.0.0.1');
});
afterEach(() => {
  http.close();
  http.closeAllConnections();
});

/** As the gate in front passes it on. */
const ask = (token: string | undefined, from: string, path = '/ops/api/me'): Promise<Response> =>
  fetch(`${address}${path}`, {
    headers: { 'x-real-ip': from, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
  });
const statusesOf = async (answers: readonly Promise<Response>[]): Promise<readonly number[]> =>
  (await Promise.all(answers)).map(({ status }) => status);

it('an address that guesses is not listened to any more, and nobody else is harmed', async () => {
  for (let guess = 0; guess < 3; guess += 1) expect((await ask(`guess-${guess}`, '192.0.2.1')).status).toBe(401);

  const answer = await ask(TOKEN, '192.0.2.1');
  expect(answer.status).toBe(429);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await answer.json()).toMatchObject({ code: 'rate/limited', params: { retryAfterMs: expect.any(Number) } });
  expect((await ask(TOKEN, '192.0.2.1', '/metrics')).status).toBe(429);
  expect(await statusesOf([ask(TOKEN, '192.0.2.2'), ask(TOKEN, '192.0.2.2', '/metrics')])).toEqual([200, 200]);
});

it('guesses at the metrics count like those at the API; who sends nothing, or is right, guesses nothing', async () => {
  for (let times = 0; times < 9; times += 1) {
    expect(await statusesOf([ask(undefined, '192.0.2.1'), ask(TOKEN, '192.0.2.1')])).toEqual([401, 200]);
  }
  for (let guess = 0; guess < 3; guess += 1) await ask('guess', '192.0.2.1', '/metrics');
  expect((await ask(TOKEN, '192.0.2.1')).status).toBe(429);
});

it('where no gate stands in front, nobody chooses the address that is counted', async () => {
  const health = { degraded: async () => [] };
  const probes = await startProbeServer({ port: 0, host: '127.0.0.1', health, metrics: new Registry(), ...gate() });
  const scrape = (token: string, from: string): Promise<Response> =>
    fetch(`${probes.address}/metrics`, { headers: { 'x-real-ip': from, authorization: `Bearer ${token}` } });
  for (let guess = 0; guess < 3; guess += 1) await scrape('guess', `192.0.2.${guess}`);
  expect((await scrape(TOKEN, '192.0.2.9')).status).toBe(429);
  await probes.close();
});
