// A worker of a game whose refunds are asked of a service that never answers. `POST /refunds` schedules them for now,
// `GET /hanging` says how many are asked for, `GET /metrics` is what its scrape would read.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createPool } from '../../../server/adapter/postgres/pool.ts';
import { createKibble, pets } from '../../../server/kibble.ts';
import { addressOf } from '../../../server/reference/bounded-http.ts';
import { readConfig } from '../../../server/settings/config.ts';
import { createLog } from '../../../server/telemetry/log.ts';
import { fieldOf } from '../../support/field/field.ts';
import { petRules, rules } from '../play/rules.ts';

const REFUNDS = 400;

const config = readConfig();
const log = createLog({ level: config.logLevel });
const pool = createPool({ url: config.databaseUrl ?? '', max: config.dbPool, log });
let hanging = 0;

const kibble = createKibble({
  pool,
  log,
  modules: [pets(petRules), fieldOf(rules.field)],
  playerId: ({ sub }: { readonly sub: string }) => sub,
  role: 'worker',
  redis: (config.redisUrls ?? []).join(','),
  kinds: [
    {
      kind: 'refund',
      call: async () => {
        hanging += 1;
        await new Promise(() => undefined);
      },
    },
  ],
});
await kibble.lifecycle.boot();

const refund = async (): Promise<string> => {
  const dueAtMs = await kibble.now();
  const refunds = Array.from({ length: REFUNDS }, (_, at) => ({ subject: `order-${at}`, owner: `shop-${at % 97}` }));
  await kibble.timers.schedule(refunds.map((order) => ({ kind: 'refund', dueAtMs, ...order })));
  return String(REFUNDS);
};

const answers: Readonly<Record<string, () => Promise<string>>> = {
  'POST /refunds': refund,
  'GET /hanging': async () => String(hanging),
  'GET /metrics': () => kibble.metrics.metrics(),
};
const http = createServer((request, response) => {
  const answer = answers[`${request.method} ${request.url}`];
  if (!answer) return response.writeHead(404).end();
  return answer().then(
    (text) => response.end(text),
    (error: unknown) => response.writeHead(500).end(String(error)),
  );
});
http.listen(config.port, config.host);
await once(http, 'listening');
log.info(`Kibble is ready at ${addressOf(http, config.host)}`);
