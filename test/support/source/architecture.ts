import path from 'node:path';
import { globalUses } from './global-uses.ts';
import { importsOf } from './imports-of.ts';
import { parse } from './parse.ts';
import { arrows, covers, homes, machinery, withoutMachinery } from './rooms.ts';

/** The faults of one file's imports and globals; `file` is relative to the repository, with slashes. */
export const violationsIn = (file: string, text: string): readonly string[] => {
  const source = parse(file, text);
  const room = path.posix.dirname(file);
  const allowed = arrows[room];
  const imports =
    allowed === undefined
      ? [`${file}: ${room} is a room that the arrows do not know`]
      : importsOf(source).flatMap((specifier) => importFault(file, specifier, allowed) ?? []);
  const globals = globalUses(source)
    .filter(({ kind }) => homes[kind]?.includes(file) !== true)
    .map(({ name, kind }) => `${file}: ${name} belongs in ${homes[kind]?.[0]}`);
  return [...imports, ...globals];
};

const importFault = (file: string, specifier: string, allowed: readonly string[]): string | undefined => {
  const from = path.posix.dirname(file);
  if (!specifier.startsWith('.')) {
    const isPure = covers(withoutMachinery, from);
    return isPure && machinery.test(specifier) ? `${file}: ${from} must not import ${specifier}` : undefined;
  }
  const to = path.posix.dirname(path.posix.join(from, specifier));
  return to === from || covers(allowed, to) ? undefined : `${file}: ${from} must not import ${to}`;
};
