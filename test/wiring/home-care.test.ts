import { Registry } from '@prometheus-io/client';
import { expect, it } from 'vitest';
import type { SlowRules } from '../../server/home/model/home-measurement.ts';
import { ManualClock } from '../../server/runtime/manual-clock.ts';
import { homeMetrics } from '../../server/telemetry/home-metrics.ts';
import { reportSlowRules } from '../../server/wiring/wire-homes.ts';
import { valueIn } from '../support/metrics/metrics.ts';

const slow: SlowRules = { playerId: 'ann', modules: ['aa'], thing: undefined, command: 'aa:say', tookMs: 2345.6 };

it('warns of slow rules once a minute for each module, and counts all of them', async () => {
  const clock = new ManualClock(0);
  const registry = new Registry();
  const warned: unknown[] = [];
  const log = { info: () => undefined, error: () => undefined, warn: (...line: unknown[]) => void warned.push(line) };
  const count = homeMetrics(registry, { commandModules: new Map(), modules: ['aa', 'bb', 'cc'] });
  const report = reportSlowRules(({ modules }) => count({ type: 'slow', modules }), { clock, log });
  const counted = async () => {
    const text = await registry.metrics();
    return ['aa', 'bb', 'cc'].map((module) => valueIn(text, 'kibble_slow_rules_total', { module }));
  };
  expect(await counted()).toEqual([0, 0, 0]);

  report(slow);
  clock.advance(59_999);
  report(slow);
  report({ ...slow, playerId: 'bea', modules: ['bb'], thing: 'oven', command: undefined });
  report({ ...slow, modules: ['aa', 'bb'] });
  clock.advance(1);
  report({ ...slow, tookMs: 201 });

  const message = 'rules ran for long and held up the process: ';
  const fields = { code: 'module/slow', module: 'aa', command: 'aa:say', tookMs: 2346 };
  expect(warned).toEqual([
    [fields, `${message}the home of ann`],
    [{ ...fields, module: 'bb', command: undefined }, `${message}the thing oven of bea`],
    [{ ...fields, module: 'aa, bb' }, `${message}the home of ann`],
    [{ ...fields, tookMs: 201 }, `${message}the home of ann`],
  ]);
  expect(await counted()).toEqual([4, 2, 0]);
});
