import path from 'node:path';
import ts from 'typescript';
import { globalUses } from './global-uses.ts';

/**
 * The import arrows: a folder (or file) of `shared/`, `server/`, `client/` and `ops/`, and what of ours it may import besides itself.
 * Arrows point inward; only what wires may import everything.
 */
const arrows: Readonly<Record<string, readonly string[]>> = {
  shared: [],
  'client/follow': ['shared'],
  'client/look': ['shared'],
  'client/page': ['shared', 'client/follow', 'client/look'],
  ops: ['shared', 'client/look'],
  'server/domain': ['shared'],
  'server/timer': ['shared'],
  'server/home': ['shared', 'server/domain', 'server/timer', 'server/config'],
  'server/adapter': [
    'shared',
    'server/domain',
    'server/timer',
    'server/home',
    'server/ops',
    'server/config',
    'server/keep-once',
  ],
  // What operators ask of homes and timers.
  'server/ops': ['shared', 'server/domain', 'server/timer', 'server/home', 'server/config'],
  // A game server listens on HTTP.
  'server/room': ['shared', 'server/timer', 'server/home', 'server/http', 'server/config', 'server/telemetry'],
  'server/http': ['shared', 'server/timer', 'server/home', 'server/ops', 'server/config', 'server/telemetry'],
  // `kibble load` plays with the client that games have.
  'server/cli': [
    'shared',
    'client/follow',
    'server/timer',
    'server/home',
    'server/ops',
    'server/config',
    'server/telemetry',
  ],
  'server/config': [],
  'server/config-environment': [],
  'server/config-rules': [],
  'server/config-command': ['server/config-environment'],
  'server/telemetry': ['shared', 'server/timer', 'server/home', 'server/config'],
  'server/secrets': ['server/config', 'server/keep-once'],
  'server/keep-once': [],
};
const configParts = ['server/config-environment', 'server/config-rules', 'server/config-command'];

/** Packages that would tie the rules and the engine to a database, a framework or a machine. */
const machinery = /^(ioredis|typeorm|pg|preact.*|@preact\/.*|@colyseus\/.*|node:.*)$/;
const withoutMachinery = ['server/domain', 'server/timer', 'client/follow'];

/** What exists once in the whole house, and where. */
const homes: Readonly<Record<string, readonly string[]>> = {
  clock: ['server/adapter/system-clock.ts', 'client/follow/platform.ts'],
  // The launcher waits for a real process to come and go; no virtual clock could make that pass.
  timers: [
    'server/adapter/system-clock.ts',
    'server/adapter/postgres/postmaster.ts',
    'client/follow/platform.ts',
    'ops/platform.ts',
  ],
  random: ['server/adapter/random.ts', 'client/follow/platform.ts', 'ops/platform.ts'],
  environment: ['server/config.ts'],
};

/** What is wrong with the imports and globals of one file; `file` is relative to the repository, with slashes. */
export const violationsIn = (file: string, text: string): readonly string[] => {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const imports = importsOf(source).flatMap((specifier) => importFault(file, specifier) ?? []);
  const globals = globalUses(source)
    .filter(({ kind }) => homes[kind]?.includes(file) !== true)
    .map(({ name, kind }) => `${file}: ${name} belongs in ${homes[kind]?.[0]}`);
  return [...imports, ...globals];
};

const importFault = (file: string, specifier: string): string | undefined => {
  const from = partOf(file);
  if (!specifier.startsWith('.')) {
    const isPure = withoutMachinery.includes(from);
    return isPure && machinery.test(specifier) ? `${file}: ${from} must not import ${specifier}` : undefined;
  }
  const to = partOf(path.posix.join(path.posix.dirname(file), specifier));
  const allowed = arrows[from];
  const isAllowed = allowed === undefined || to === from || allowed.includes(to);
  const isOwnPart = from === 'server/config' && configParts.includes(to);
  return isAllowed || isOwnPart ? undefined : `${file}: ${from} must not import ${to}`;
};

/** `server/timer/wheel/slots.ts` -> `server/timer`, `server/main.ts` -> `server/main`, `shared/ids.ts` -> `shared`. */
const partOf = (file: string): string => {
  const [top = '', second = ''] = file.split('/');
  return top === 'server' || top === 'client' ? `${top}/${second.replace(/\.tsx?$/, '')}` : top;
};

const importsOf = (source: ts.SourceFile): readonly string[] => {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const specifier = specifierOf(node);
    if (specifier !== undefined && ts.isStringLiteralLike(specifier)) found.push(specifier.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
};

const specifierOf = (node: ts.Node): ts.Node | undefined => {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return node.argument.literal;
  const isDynamic = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
  return isDynamic ? node.arguments[0] : undefined;
};
