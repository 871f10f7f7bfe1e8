import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { GuardOptions, guardShape } from '../../server/gate/guard-server.ts';
import type { KibbleOptions } from '../../server/kibble.ts';
import type { OpsApiOptions } from '../../server/operators.ts';
import type { TimersOptions } from '../../server/timers.ts';
import { besideEachOther, kibbleShape, othersFire, type timersShape } from '../../server/wiring/host-options.ts';
import type { contractShape, rulesShape, wireShape } from '../../shared/module/check-module.ts';
import type { Contract, Rules, Shapes, Wire } from '../../shared/module/module.ts';
import { OptionsRefused } from '../../shared/options/options-refused.ts';
import { readOptions } from '../../shared/options/read-options.ts';
import type { Schema } from '../../shared/options/schema.ts';
import { prove } from '../support/properties/prove.ts';
import { cases, touched } from './cases.ts';

interface Walked {
  readonly shape?: Readonly<Record<string, Schema<unknown>>>;
  readonly element?: Schema<unknown>;
}

/** The paths of all that a schema reads: `kinds`, `kinds[]`, `kinds[].timeoutMs`. Ends in `{}`: an object with fields. */
const pathsOf = (schema: Schema<unknown>, path = ''): readonly string[] => {
  const { shape, element } = schema as Walked;
  if (element) return [path, ...pathsOf(element, `${path}[]`)];
  if (!shape) return [path];
  const below = Object.entries(shape).flatMap(([name, one]) => pathsOf(one, path === '' ? name : `${path}.${name}`));
  return [`${path}{}`, ...below];
};

/** The same with another value at `path`, where `[]` is the first of a list. Values beside the path stay the same. */
const replaced = (given: unknown, path: string, value: unknown): unknown => {
  const parts = path.split(/\.|(?=\[\])/).filter((part) => part !== '');
  return replacedIn(given, parts, value);
};

const replacedIn = (given: unknown, [part, ...rest]: readonly string[], value: unknown): unknown => {
  if (part === undefined) return value;
  if (part === '[]') {
    const [first, ...others] = Array.isArray(given) ? given : [];
    return [replacedIn(first, rest, value), ...others];
  }
  const object = (given ?? {}) as Readonly<Record<string, unknown>>;
  return { ...object, [part]: replacedIn(object[part], rest, value) };
};

/** As a fault names it. */
const concrete = (path: string): string => path.replaceAll('[]', '[0]');

/** Anything at all may stand here. */
const FREE = /(^|\.)(payload|result|commandId|items|reason|rules|config)$/;

const refusalOf = async (call: () => unknown): Promise<unknown> => {
  try {
    await call();
  } catch (error) {
    return error;
  }
  return undefined;
};

describe.each(cases)('$name', ({ schema, good, call, rows }) => {
  it('has a row for each option that it reads', () => {
    const wanted = pathsOf(schema).filter((option) => !FREE.test(option) || rows[option]);
    // The arguments of a call are no object of the caller's.
    const known = wanted.filter((option) => option !== '{}' || rows['{}']);
    expect(Object.keys(rows).sort()).toEqual([...known].sort());
  });

  it('refuses each bad value by the name of the option, and has done nothing', async (context) => {
    let tries = 0;
    for (const [option, values] of Object.entries(rows)) {
      const at = option.replace(/\{\}$/, '');
      for (const value of values) {
        touched.count = 0;
        tries += 1;
        const error = await refusalOf(() => call(replaced(good, at, value) as never));
        expect(error, `${option} took ${typeof value}`).toBeInstanceOf(OptionsRefused);
        const { faults, message } = error as OptionsRefused;
        const named = faults.map((fault) => fault.path).filter((one) => one.startsWith(concrete(at)));
        expect(named, `${option}: ${message}`).not.toEqual([]);
        for (const { what, remedy } of faults) expect(`${what}: ${remedy}`).toMatch(/^\w.+: \S.{3}/s);
        expect(touched.count, option).toBe(0);
      }
    }
    prove(context, { row: 30, tries, of: 'bad values of options' });
  });

  it('refuses a field that it does not know, in each of its objects', async () => {
    for (const option of pathsOf(schema).filter((one) => one.endsWith('{}'))) {
      const at = option.slice(0, -2);
      if (at === '' && !rows['{}']) continue;
      const field = at === '' ? 'nobodyKnows' : `${at}.nobodyKnows`;
      const error = await refusalOf(() => call(replaced(good, field, 1) as never));
      expect((error as OptionsRefused).faults.map((fault) => fault.path)).toContain(concrete(field));
    }
  });
});

it('takes each form of a Redis’ URL that the pages name', () => {
  const { redis } = kibbleShape;
  for (const url of [
    'redis://host:6379/0',
    'rediss://user:password@host',
    'redis://a, redis://b',
    'redis+sentinel://user:password@one:26379/name/0,redis+sentinel://two/name/0',
  ]) {
    expect(() => readOptions(redis, url, 'redis')).not.toThrow();
  }
});

it.each([
  [besideEachOther, { role: 'gateway' }, 'role'],
  [othersFire, { fires: false }, 'fires'],
])('a process that fires nothing needs other processes, and they need Redis', (between, given, at) => {
  expect(between(given)).toMatchObject([{ at: [at] }]);
  expect(between({ ...given, redis: 'redis://a' })).toEqual([]);
  expect(between({ role: 'worker', fires: true })).toEqual([]);
});

it('each schema has the fields of its public type, and no others', () => {
  expectTypeOf<keyof typeof kibbleShape>().toEqualTypeOf<keyof KibbleOptions>();
  expectTypeOf<keyof typeof timersShape>().toEqualTypeOf<keyof TimersOptions>();
  expectTypeOf<keyof typeof contractShape>().toEqualTypeOf<keyof Contract<string, object, Shapes, Shapes>>();
  expectTypeOf<keyof typeof rulesShape>().toEqualTypeOf<keyof Rules<object, Shapes, Shapes>>();
  expectTypeOf<keyof typeof guardShape>().toEqualTypeOf<keyof GuardOptions>();
  expectTypeOf<keyof typeof wireShape>().toEqualTypeOf<keyof Wire>();
  expectTypeOf<'ops' | 'operators' | 'path' | 'hasDevTools' | 'onFault'>().toEqualTypeOf<keyof OpsApiOptions>();
});

it('each schema that is read somewhere is in the table', () => {
  const root = path.resolve(import.meta.dirname, '../..');
  const files = globSync('{server,shared,testing}/**/*.ts', { cwd: root });
  const read = files.flatMap((file) =>
    [...readFileSync(path.join(root, file), 'utf8').matchAll(/readOptions\((\w+)/g)].map(([, schema]) => schema),
  );
  expect([...new Set(read)].sort()).toEqual([
    'afterCommitArguments',
    'againArguments',
    'besideArguments',
    'checkModuleArguments',
    'checkRulesArguments',
    'clockCalls',
    'contractSchema',
    'fields',
    'forgetConsumerArguments',
    'guardServerArguments',
    'homeRoomOptions',
    'homesCalls',
    'kibbleOptions',
    'nextAtArguments',
    'nextTimesArguments',
    'ofContract',
    'ofOwnerArguments',
    'opsApiArguments',
    'ormArguments',
    'rulesCalls',
    'serviceCalls',
    'timerCalls',
    'timersOptions',
    'worksOptions',
  ]);
});
