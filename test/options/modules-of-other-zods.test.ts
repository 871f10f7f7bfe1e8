import { expect, it } from 'vitest';
import { z } from 'zod';
import * as z3 from 'zod/v3';
import { defineModule } from '../../shared/module/module.ts';

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
