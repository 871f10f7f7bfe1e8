import { expect, it } from 'vitest';
import { z } from 'zod';
import { judge } from '../../server/domain/decide.ts';
import { fold, readThing } from '../../server/domain/evolve.ts';
import { Modules } from '../../server/domain/modules.ts';
import type { HomeEvent } from '../../shared/event.ts';
import { defineModule } from '../../shared/module/module.ts';
import { homeWith } from '../support/modules/puppet.ts';

interface Site {
  readonly level: number;
}
const contract = {
  name: 'town',
  version: 2,
  thing: z.object({ level: z.int() }),
  initial: { level: 0 },
  events: { placed: z.object({}), finished: z.object({ level: z.int() }) },
  commands: { place: z.object({}) },
} as const;

class Decide {
  readonly #thing = 'hall';
  place() {
    return [{ type: 'placed' as const, thing: this.#thing }];
  }
}
class Evolve {
  readonly #first = 1;
  placed(): Site {
    return { level: this.#first };
  }
  finished(site: Site, { level }: Site): Site {
    return { ...site, level };
  }
}
class Older {
  readonly #level = 7;
  thing() {
    return { level: this.#level };
  }
  event() {
    return { level: this.#level };
  }
}

const placed = { v: 2, seq: 11, at: 150, type: 'town/placed', thing: 'hall' };
const finished = { v: 2, seq: 12, at: 160, type: 'town/finished', thing: 'hall', level: 3 };

const extended = Object.create({ placed: () => ({ level: 1 }) }) as { placed: Evolve['placed'] };

it.each([
  ['of a class, each with its own `this`', new Decide(), new Evolve()],
  ['that extends another one', { place: () => [] }, Object.assign(extended, { finished: new Evolve().finished })],
])('rules by name may be an object %s', (_, decide, rules) => {
  const modules = new Modules([defineModule(contract).rules({ decide, evolve: rules, older: new Older() })]);
  const after = (...events: readonly HomeEvent[]) => fold(modules, homeWith(modules, {}), events).things;
  expect(after(placed)).toEqual({ town: { hall: { level: 1 } } });
  expect(after(placed, finished)).toEqual({ town: { hall: { level: 3 } } });
  expect(after(placed, { ...finished, v: 1 })).toEqual({ town: { hall: { level: 7 } } });
  const [module] = modules.all;
  expect(module && readThing(module, {}, 1)).toEqual({ level: 7 });
});

it('a command of a rule that is a method is accepted', () => {
  const modules = new Modules([defineModule(contract).rules({ decide: new Decide(), evolve: new Evolve() })]);
  const asked = { command: { type: 'town:place' } as never, commandId: 'command-1', nowMs: 150 };
  const { decision, home } = judge({ ...asked, modules, home: homeWith(modules, {}) });
  expect(decision).toMatchObject({ ok: true, value: [{ type: 'town/placed', thing: 'hall' }] });
  expect(home.things).toEqual({ town: { hall: { level: 1 } } });
});

it('an event without a rule is a fault, and removes nothing', () => {
  const own = defineModule(contract).rules({ decide: new Decide(), evolve: new Evolve() });
  const modules = new Modules([{ ...own, evolve: { placed: own.evolve.placed } as never }]);
  expect(() => fold(modules, homeWith(modules, {}), [finished])).toThrow('evolve.finished');
});

it.each(['events', 'commands'] as const)('%s with inherited names are refused', (field) => {
  const given = { ...contract, [field]: Object.create(contract[field]) };
  expect(() => defineModule(given)).toThrow(`${field} is an object: give a plain object`);
});
