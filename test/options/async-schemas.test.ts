import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import * as mini from 'zod/mini';
import { village } from '../../examples/village.ts';
import { hasAsyncPart } from '../../shared/module/async-schema.ts';
import { defineModule } from '../../shared/module/module.ts';

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
