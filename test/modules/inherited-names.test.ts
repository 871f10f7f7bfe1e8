import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { village } from '../../examples/village.ts';
import { Modules } from '../../server/domain/modules.ts';
import { statusOf } from '../../server/http/ops-api.ts';
import { opsRefusal, refuseAs } from '../../server/ops/perform/ops-call.ts';
import { defineModule } from '../../shared/module/module.ts';

describe('a rule named constructor', () => {
  const contract = { name: 'wells', thing: z.object({}), initial: {}, events: { constructor: z.object({}) } };
  const define = (evolve: object) => defineModule({ ...contract, commands: {} }).rules({ decide: {}, evolve } as never);

  it.each([
    ['an object', {}],
    ['an object of a class', new (class Folds {})()],
  ])('that %s only inherits is missing', (_, evolve) => {
    expect(() => define(evolve)).toThrow('evolve.constructor is missing: give the rule, a function');
  });

  it('is called if it is there', () => {
    const modules = new Modules([define({ constructor: () => ({ deep: true }) })]);
    const { module } = modules.ofEvent('wells/constructor') ?? {};
    const event = { type: 'constructor', thing: 'w1', seq: 1, at: 0 };
    expect(module?.rules.evolve.constructor?.({}, event)).toEqual({ deep: true });
  });
});

it.each(['constructor', 'toString', '__proto__'])('the refusal %s of a rule has its own name as its text', (code) => {
  expect(opsRefusal(code)).toMatchObject({ ok: false, error: { code, message: code } });
  expect(refuseAs(new Modules([village]), { code, params: {} } as never)).toMatchObject({ error: { message: code } });
  expect(statusOf(code)).toBe(409);
});
