import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { LoadedModule } from '../server/domain/modules.ts';

/** What is wrong with a thing as it is kept; undefined: nothing. */
export const readThingFaults = (module: LoadedModule, thing: object): string | undefined => {
  const kept: unknown = JSON.parse(JSON.stringify(thing));
  if (!isDeepStrictEqual(kept, defined(thing))) return 'is another one after JSON: keep numbers and text, no Date';
  const read = z.core.safeParse(module.thing, kept);
  if (read.success) return undefined;
  const [issue] = read.error.issues;
  return `is not as its schema says (${issue?.path.join('.')}: ${issue?.message}): evolve forgets or misspells a field`;
};

/** A property that is undefined is none. */
const defined = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(defined);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const entries = Object.entries(value).filter(([, part]) => part !== undefined);
  return Object.fromEntries(entries.map(([name, part]) => [name, defined(part)]));
};
