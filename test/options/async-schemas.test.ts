import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import * as mini from 'zod/mini';
import * as z3 from 'zod/v3';
import { village } from '../../examples/village.ts';
import { hasAsyncPart } from '../../shared/module/async-schema.ts';
import { defineModule } from '../../shared/module/module.ts';
import { readBySchema } from '../../shared/module/read-by-schema.ts';

const isFree = async (): Promise<boolean> => {
  throw new Error('the database is away');
};
const free = z.string().refine(isFree);

describe('a schema with an async part', () => {
  it.each<readonly [string, z.core.$ZodType]>([
    ['a check', free],
    ['a check of zod/mini', mini.string().check(mini.refine(isFree))],
    ['a check by itself', z.string().check(async () => undefined)],
    ['a custom schema', z.custom(isFree)],
    ['a transform', z.string().transform(isFree)],
    ['a preprocess', z.preprocess(isFree, z.string())],
    ['a codec', z.codec(z.string(), z.boolean(), { decode: isFree, encode: () => '' })],
    ['a part of a part', z.object({ names: z.array(z.union([z.int(), z.object({ name: free.optional() })])) })],
    ['the other half of a pipe', z.string().pipe(free)],
    ['a value of a record', z.record(z.string(), free)],
    ['a promise', z.object({ later: z.promise(z.string()) })],
  ])('is told: %s', (_, schema) => {
    expect(hasAsyncPart(schema)).toBe(true);
  });

  it('is not told where there is none; no getter and no function of the game is called', () => {
    let calls = 0;
    const called = (): never => {
      calls += 1;
      throw new Error('too early');
    };
    const node = z.object({
      name: z.string().min(1).max(9).default(called),
      get next() {
        return called();
      },
      later: z.lazy(called),
      kept: z.string().refine(called).transform(called),
    });
    expect([hasAsyncPart(node), calls]).toEqual([false, 0]);
    expect([village.thing, ...Object.values(village.events)].map(hasAsyncPart)).not.toContain(true);
  });

  it('is refused when the module is defined, with its place', () => {
    const named = z.object({ name: free });
    const contract = { name: 'wells', thing: named, initial: {}, config: named };
    const give = () => defineModule({ ...contract, events: { dug: named }, commands: { dig: named } } as never);
    expect(give).toThrow(
      expect.objectContaining({
        faults: ['thing', 'config', 'events.dug', 'commands.dig'].map((path) => ({
          path,
          code: 'options/invalid',
          what: 'has an async check or transform',
          remedy: 'make it sync; check what needs a promise before the command is given',
        })),
      }),
    );
  });
});

/** Returns a promise without being async; it rejects later. */
const later = (): Promise<never> => Promise.resolve().then(() => Promise.reject(new Error('the database is away')));
const thrown = (): never => {
  throw new Error('the game throws');
};
const inner = z.string().superRefine(async () => {
  await isFree();
});

/** Collects rejections that nothing handles, until the test ends. Node tells of them after all promise callbacks of a turn. */
const unhandled = (): (() => Promise<readonly unknown[]>) => {
  const ended: unknown[] = [];
  const note = (reason: unknown): void => void ended.push(reason);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  return async () => {
    await setImmediate();
    await setImmediate();
    return ended;
  };
};

describe('a schema whose async part cannot be told', () => {
  it.each<readonly [string, z.core.$ZodType]>([
    ['a superRefine', inner],
    ['a check', z.string().refine(later)],
    ['a check of zod/mini', mini.string().check(mini.refine(later))],
    ['a check by itself', z.string().check(later)],
    ['a transform', z.string().transform(later)],
    ['a preprocess', z.preprocess(later, z.string())],
    ['a codec', z.codec(z.string(), z.string(), { decode: later, encode: () => '' })],
    ['two checks', inner.refine(later)],
    ['a lazy part', z.lazy(() => free)],
    ['a part of a union', z.union([inner, z.string()])],
    ['a caught one', z.string().refine(later).catch('a')],
  ])('is refused when it is read, and ends no process: %s', async (_, schema) => {
    const ended = unhandled();
    expect(hasAsyncPart(schema)).toBe(false);
    const part = z.object({ first: schema });
    expect(() => readBySchema(part, { first: 'a' })).toThrow(
      'the schema has an async check or transform: make it sync',
    );
    const codec = z.codec(z.string(), z.string(), { decode: later, encode: () => '' });
    // Zod drops the promise of the first part when the second one throws.
    const both = z.object({ first: codec, second: z.string().transform(thrown), third: schema });
    expect(() => readBySchema(both, { first: 'a', second: 'a', third: 'a' })).toThrow('the game throws');
    expect(await ended()).toEqual([]);
  });

  it.each<readonly [string, z.core.$ZodType, unknown]>([
    ['a string', z.string({ error: later as never }), 7],
    ['a field of an object', z.object({ name: z.string({ error: later as never }) }), { name: 7 }],
    ['a check', z.string().refine((text) => text === 'b', { error: later as never }), 'a'],
    ['a part of a union', z.union([z.string({ error: later as never }), z.number()]), {}],
    ['a key of a record', z.record(z.string().regex(/b/, { error: later as never }), z.number()), { a: 1 }],
  ])('ends no process by the text of an error that is a promise: %s', async (_, schema, wrong) => {
    const ended = unhandled();
    const read = readBySchema(schema, wrong);
    expect(read.success).toBe(false);
    expect(read.error?.issues).toHaveLength(1);
    expect(await ended()).toEqual([]);
  });

  it('is read as before if it is sync', () => {
    const schema = z.object({ name: z.string().refine((name) => name !== 'a') });
    expect(readBySchema(schema, { name: 'b' })).toEqual({ success: true, data: { name: 'b' } });
    expect(readBySchema(schema, { name: 'a' }).error?.issues).toHaveLength(1);
    expect(() => readBySchema(z.string().transform(thrown), 'a')).toThrow('the game throws');
  });
});

const contract = { name: 'wells', thing: z.object({}), initial: {}, events: { dug: z.object({}) }, commands: {} };

it('says of a schema of zod 3 that it is one, and where one of zod 4 comes from', () => {
  const ofZod3 = {
    ...contract,
    thing: z3.object({}),
    events: { dug: z3.object({}) },
    commands: { dig: z3.object({}) },
  };
  expect(() => defineModule(ofZod3 as never)).toThrow(
    expect.objectContaining({
      name: 'OptionsRefused',
      faults: ['thing', 'events.dug', 'commands.dig'].map((path) => ({
        path,
        code: 'options/invalid',
        what: 'is a schema of zod 3',
        remedy: "Kibble reads zod 4 schemas: import from 'zod/v4', or update zod",
      })),
    }),
  );
});

it('names all rules that a module lacks, and those of nothing', () => {
  const rules = { decide: { dgi: () => [] }, evolve: {}, dueAtMs: () => undefined };
  expect(() => defineModule({ ...contract, commands: { dig: z.object({}) } }).rules(rules as never)).toThrow(
    expect.objectContaining({
      faults: ['decide.dig', 'decide.dgi', 'evolve.dug', 'complete'].map((path) => expect.objectContaining({ path })),
    }),
  );
});
