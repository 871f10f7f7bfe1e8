import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Modules } from '../../server/domain/modules.ts';
import { pets } from '../../server/settings/rules.ts';
import { moduleSchema } from '../../shared/module/check-module.ts';
import { readModuleConfig } from '../../shared/module/config.ts';
import { readOptions } from '../../shared/options/read-options.ts';

const config = z.strictObject({ price: z.int(), levels: z.array(z.int()) });
const JSON_OF_IT = { price: 15, levels: [3, 1, 2] };

/** Reads a config with this check. */
const readBy = (configFaults: (json: never) => unknown, schema: z.ZodType = config) =>
  readModuleConfig(
    { name: 'mod', config: schema, configFaults: configFaults as (json: unknown) => readonly string[] },
    JSON_OF_IT,
  );

describe('configFaults', () => {
  it('gets a copy: what it writes is in no config', () => {
    const read = readBy((json: { price: number; levels: number[] }) => {
      json.price = 12_345;
      json.levels.sort();
      return [];
    });
    expect(read).toEqual({ ok: true, value: { json: JSON_OF_IT, config: JSON_OF_IT } });
    expect(JSON_OF_IT).toEqual({ price: 15, levels: [3, 1, 2] });
  });

  it.each([
    ['a text', () => 'price: is wrong'],
    ['a number', () => 5],
    ['an object', () => ({})],
    ['null in a list', () => [null]],
    ['objects in a list', () => [{ path: 'price', what: 'is wrong' }]],
    ['a list with a hole', () => new Array(1)],
    ['a list with nothing but holes', () => new Array(4_000_000_000)],
    ['a promise', async () => []],
    ['a promise that is rejected', async () => Promise.reject(new Error('later'))],
    [
      'a proxy that throws',
      () =>
        new Proxy([], {
          get: () => {
            throw new Error('no');
          },
        }),
    ],
  ])('that returns %s is named', (_, configFaults) => {
    const read = readBy(configFaults);
    expect(read.ok || read.error).toEqual([expect.stringContaining('configFaults of the module mod: ')]);
  });

  it('that returns nothing found nothing', () => {
    expect(readBy(() => undefined).ok).toBe(true);
  });
});

describe('a config', () => {
  it('is a frozen copy, as it was given and as its schema reads it', () => {
    const given = { price: 15, levels: [3, 1, 2] };
    const read = readModuleConfig({ name: 'mod', config: z.looseObject({ levels: z.any() }) }, given);
    given.price = 777;
    given.levels.push(4);
    expect(read).toEqual({ ok: true, value: { json: JSON_OF_IT, config: JSON_OF_IT } });
    const { json, config: own } = (read.ok ? read.value : undefined) as { json: typeof given; config: typeof given };
    for (const one of [json, own]) {
      expect(() => Object.assign(one, { price: 1 })).toThrow(TypeError);
      expect(() => one.levels.push(1)).toThrow(TypeError);
    }
  });

  it('is JSON, also where its schema has a default for undefined', () => {
    const schema = z.object({ price: z.int().default(3) }).prefault({});
    const read = (json: unknown) => readModuleConfig({ name: 'mod', config: schema }, json);
    expect(read(undefined)).toEqual({ ok: false, error: ['rules: is undefined: give {} for the defaults'] });
    expect(read({})).toEqual({ ok: true, value: { json: {}, config: { price: 3 } } });
  });

  it('has the values of classes as its schema makes them', () => {
    const schema = config.transform(({ price }) => ({ price, seen: new Map([['a', 1]]), bytes: new Uint8Array(2) }));
    const read = readBy(() => [], schema);
    const { seen, bytes } = (read.ok ? read.value.config : undefined) as {
      seen: Map<string, number>;
      bytes: Uint8Array;
    };
    expect([seen.get('a'), bytes.length]).toEqual([1, 2]);
  });
});

it('a module that is made from another one by its prototype keeps its config', () => {
  const whole = pets({ starter: { items: { snack: 7 } } });
  const read = readOptions(moduleSchema, Object.create(whole), 'createKibble') as typeof whole;
  expect(read).toMatchObject({ given: whole.given, catalogue: whole.catalogue });
  const [loaded] = new Modules([read]).all;
  expect(loaded?.config).toEqual(whole.given?.config);
});
