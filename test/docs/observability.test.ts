import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { createKibble, type Kibble } from '../../server/kibble.ts';
import { openServer } from '../../server/reference/open-server.ts';
import { readConfig } from '../../server/settings/config.ts';
import { createLog } from '../../server/telemetry/log.ts';
import { joinHome } from '../support/game/player.ts';
import { groupingsIn, type MetricSample, type Selector, samplesIn, selectorsIn } from '../support/metrics/metrics.ts';
import { createDatabase, type TestDatabase } from '../support/postgres/postgres-server.ts';

const read = (file: string): string => readFileSync(path.join(import.meta.dirname, '../../docs', file), 'utf8');

const Dashboard = z.object({
  panels: z.array(
    z.object({
      title: z.string(),
      targets: z.array(z.object({ expr: z.string(), legendFormat: z.string() })).default([]),
    }),
  ),
});
const Rules = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.object({
          alert: z.string(),
          expr: z.string(),
          for: z.string().optional(),
          annotations: z.object({ runbook_url: z.string() }),
        }),
      ),
    }),
  ),
});
const panels = Dashboard.parse(JSON.parse(read('observability/grafana/kibble.json'))).panels;
const alerts = Rules.parse(parse(read('observability/alerts.yml'))).groups.flatMap(({ rules }) => rules);
const expressions = [
  ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
  ...alerts.map(({ alert, expr }) => [alert, expr] as const),
];

/** What Prometheus adds to each series, and the one series of its own. */
const added = { job: 'kibble', instance: 'gateway-1:2567' };
const up: MetricSample = { name: 'up', labels: added, value: 1 };

const TOKEN = 'Zx81kQmW4vTn7LrB2yHcD5sJ';
let databases: readonly TestDatabase[];
let server: Awaited<ReturnType<typeof openServer>>;
let host: { readonly kibble: Kibble; readonly pool: Pool };
let samples: readonly MetricSample[];
const lines: string[] = [];

beforeAll(async () => {
  databases = [await createDatabase(inject('postgresUrl')), await createDatabase(inject('postgresUrl'))];
  const [first, second] = databases.map(({ url }) => url);
  const log = createLog({
    level: 'trace',
    destination: { write: (line) => void lines.push(line) },
    isForReader: false,
  });
  const config = readConfig({
    PORT: '0',
    HOST: '127.0.0.1',
    DATABASE_URL: first,
    JWT_SECRET: 'k7Qz1v9XbT4mR8wLcY2nPdF6sJhA3gUe',
    OPS_TOKENS: `prometheus:viewer:${TOKEN}`,
  });
  server = await openServer(config, log);
  const player = await joinHome(server.address);
  const { petId = '' } = await player.ask('home:adopt', { name: 'Rex', species: 'dog' });
  await player.ask('home:feed', { petId, food: 'dog-food' });
  await player.room.leave();
  const answer = await fetch(`${server.address}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } });
  // The reference server has no consumers; a game may.
  const pool = new Pool({ connectionString: second ?? '', max: 4 });
  const kibble = createKibble({
    pool,
    playerId: ({ sub }: { sub: string }) => sub,
    log,
    consumers: [{ name: 'quests', handle: () => Promise.reject(new Error('away')) }],
    inventory: { load: () => Promise.resolve(new Map()), apply: () => Promise.reject(new Error('away')) },
  });
  host = { kibble, pool };
  await kibble.lifecycle.boot();
  await kibble.homes.grant([{ playerId: 'ann', commandId: 'a-command', items: { snack: 1 }, reason: 'gift' }]);
  const own = samplesIn(await kibble.metrics.metrics());
  samples = [...samplesIn(await answer.text()), ...own].map((sample) => ({
    ...sample,
    labels: { ...sample.labels, ...added },
  }));
}, 60_000);

afterAll(async () => {
  await server.close();
  await host.kibble.lifecycle.shutdown();
  await host.pool.end();
  for (const database of databases) await database.drop();
});

const fits = ({ metric, matchers }: Selector, sample: MetricSample): boolean =>
  sample.name === metric &&
  matchers.every(({ label, operator, value }) => {
    const own = sample.labels[label];
    if (own === undefined) return false;
    const isLike = operator.includes('~') ? new RegExp(`^(?:${value})$`).test(own) : own === value;
    return operator.startsWith('!') ? !isLike : isLike;
  });

describe('dashboard and alerts', () => {
  it.each(expressions)('read series that a server has: %s', (_, expression) => {
    const selectors = selectorsIn(expression);
    expect(selectors).not.toHaveLength(0);
    const series = selectors.map((selector) => [...samples, up].filter((sample) => fits(selector, sample)));
    selectors.forEach((selector, at) => {
      expect(series[at], `nothing like ${JSON.stringify(selector)}`).not.toHaveLength(0);
    });
    for (const label of groupingsIn(expression)) {
      expect(
        series.flat().some(({ labels }) => label in labels),
        `no label ${label}`,
      ).toBe(true);
    }
  });

  it.each(panels.flatMap(({ title, targets }) => targets.map((target) => [title, target] as const)))(
    'name only labels that are left after grouping: %s',
    (_, { expr, legendFormat }) => {
      const kept = /\bby\s*\(/.test(expr) ? groupingsIn(expr) : Object.keys(added);
      for (const [, label = ''] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) expect(kept).toContain(label);
    },
  );

  it('leave out no metric of ours', () => {
    const shown = new Set(expressions.flatMap(([, expression]) => selectorsIn(expression).map(({ metric }) => metric)));
    const family = (name: string): string => name.replace(/_(bucket|sum|count)$/, '');
    const families = new Set([...shown].map(family));
    const ours = new Set(
      samples
        .map(({ name }) => name)
        .filter((name) => name.startsWith('kibble_'))
        .map(family),
    );
    expect([...ours].filter((name) => !families.has(name))).toEqual([]);
  });

  it('do not fire on what is over: a rate is too high for longer than its window', () => {
    const minutes = (text = '0m') => Number(/^(\d+)m$/.exec(text)?.[1]);
    const held = alerts.flatMap(({ alert, expr, for: lasts }) => {
      const windows = expr.includes('increase(') ? [] : [...expr.matchAll(/\[(\w+)\]/g)];
      return windows.map(([, window]) => ({ alert, isLonger: minutes(lasts) > minutes(window) }));
    });
    expect(held.length).toBeGreaterThan(7);
    expect(held.filter(({ isLonger }) => !isLonger)).toEqual([]);
  });

  it('fire on what a process counted before its first scrape, which is no increase', () => {
    const atOnce = alerts.filter(({ expr, for: lasts }) => /\bincrease\([^)]*\)\) > 0/.test(expr) && !lasts);
    expect(atOnce.map(({ alert }) => alert)).toEqual(['KibbleRulesSlow', 'KibbleTimersDead']);
    for (const { alert, expr } of atOnce) {
      const metrics = selectorsIn(expr).map(({ metric }) => metric);
      expect(metrics, alert).toEqual([metrics[0], metrics[0], 'process_start_time_seconds']);
    }
  });

  it.each(alerts)('$alert has its heading in the runbook', ({ alert, annotations }) => {
    expect(annotations.runbook_url).toBe(`docs/runbook.md#${alert.toLowerCase()}`);
    expect(read('runbook.md').split('\n')).toContain(`## ${alert}`);
  });
});

it('scrapes the services of docker-compose.yml', () => {
  const { scrape_configs } = parse(read('observability/prometheus.yml'));
  const { services } = parse(read('../docker-compose.yml'), { merge: true });
  const targets: string[] = scrape_configs[0].static_configs[0].targets;
  expect(targets).toEqual(
    Object.keys(services)
      .filter((name) => services[name].environment?.ROLE)
      .map((name) => `${name}:2567`),
  );
});

it('writes log lines that parse, with the fields of docs/observability/logs.md alone', () => {
  const known = [...read('observability/logs.md').matchAll(/^\| `(\w+)` \|/gm)].map(([, field]) => field);
  const written = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(written).not.toHaveLength(0);
  for (const line of written) {
    expect(line).toMatchObject({ level: expect.any(String), time: expect.any(String), msg: expect.any(String) });
    expect(Object.keys(line).filter((field) => !known.includes(field))).toEqual([]);
  }
});

it('finds the series and their matchers, and no function, keyword, range or label', () => {
  const expression = `histogram_quantile(0.99, sum by (kind, le) (rate(late_bucket{kind=~"a|b", x!="y"}[5m])))
    / max without (job) (other) > 2 and on (job) up == 1`;

  expect(selectorsIn(expression)).toEqual([
    {
      metric: 'late_bucket',
      matchers: [
        { label: 'kind', operator: '=~', value: 'a|b' },
        { label: 'x', operator: '!=', value: 'y' },
      ],
    },
    { metric: 'other', matchers: [] },
    { metric: 'up', matchers: [] },
  ]);
  expect(groupingsIn(expression)).toEqual(['kind', 'le', 'job', 'job']);
});
