import type { z } from 'zod';

const NAME = /^[a-z][a-z0-9-]{0,31}$/;
/** What the engine itself puts into events. */
const TAKEN_FIELDS = ['type', 'thing', 'items', 'seq', 'at', 'v', 'commandId'];
/** Names that the engine uses itself. */
const TAKEN_NAMES = ['home', 'ops', 'into', 'items', 'by', 'reason', 'type', 'seq', 'at', 'v', 'constructor'];

interface Names {
  readonly name: string;
  readonly version?: number;
  readonly events: Readonly<Record<string, z.core.$ZodObject>>;
  readonly commands: Readonly<Record<string, z.core.$ZodObject>>;
  readonly serverOnly?: readonly string[];
  readonly wire?: { readonly thing?: string };
}

interface Rules {
  readonly decide: Readonly<Record<string, unknown>>;
  readonly evolve: Readonly<Record<string, unknown>>;
  readonly dueAtMs?: unknown;
  readonly complete?: unknown;
  readonly waitingSinceMs?: unknown;
  readonly goOn?: unknown;
}

/** Throws a `TypeError` for a name or a field that cannot be. */
export const checkContract = (contract: Names): void => {
  const { name, wire, version = 1, serverOnly = [] } = contract;
  if (!NAME.test(name) || TAKEN_NAMES.includes(name)) {
    throw new TypeError(
      `a module can't be called ${JSON.stringify(name)}: use a-z, 0-9 and -, and no name of the engine`,
    );
  }
  if (!Number.isSafeInteger(version) || version < 1) throw new TypeError(`${name}: version must be 1, 2, 3 ...`);
  for (const part of ['events', 'commands'] as const) {
    for (const [own, schema] of Object.entries(contract[part])) {
      if (!NAME.test(own)) throw new TypeError(`${name}: ${part} ${JSON.stringify(own)} must be a-z, 0-9 and -`);
      const shape = schema?._zod?.def?.shape;
      if (!shape) throw new TypeError(`${name}: ${part} ${own} must be a z.object`);
      const taken = part === 'events' ? [...TAKEN_FIELDS, wire?.thing ?? 'thing'] : ['commandId', 'type'];
      const clash = Object.keys(shape).find((field) => taken.includes(field));
      if (clash)
        throw new TypeError(`${name}: ${part} ${own} has a field ${clash}, which the engine writes: rename it`);
    }
  }
  for (const own of serverOnly) {
    if (!(own in contract.commands)) throw new TypeError(`${name}: serverOnly names ${own}, which is no command`);
  }
};

/** Throws a `TypeError` for a rule that is missing. */
export const checkRules = (contract: Pick<Names, 'name' | 'commands' | 'events'>, rules: Rules): void => {
  const missing = [
    ...Object.keys(contract.commands).flatMap((own) => (rules.decide[own] ? [] : [`decide.${own}`])),
    ...Object.keys(contract.events).flatMap((own) => (rules.evolve[own] ? [] : [`evolve.${own}`])),
  ];
  if (missing[0]) throw new TypeError(`${contract.name}: ${missing[0]} is missing`);
  for (const [one, other] of [
    ['dueAtMs', 'complete'],
    ['waitingSinceMs', 'goOn'],
  ] as const) {
    if (!rules[one] !== !rules[other]) throw new TypeError(`${contract.name}: ${one} and ${other} belong together`);
  }
};
