import path from 'node:path';
import ts from 'typescript';
import { importsOf, parse } from './parse.ts';
import { arrows, covers, homes, machinery, withoutMachinery } from './rooms.ts';

interface GlobalUse {
  readonly kind: 'clock' | 'timers' | 'random' | 'environment';
  readonly name: string;
}

/** Members of globals and of node modules, under the name by which faults are reported. */
const members: Readonly<Record<string, GlobalUse['kind']>> = {
  'Date.now': 'clock',
  'performance.now': 'clock',
  'performance.timeOrigin': 'clock',
  'process.hrtime': 'clock',
  'Math.random': 'random',
  'crypto.randomUUID': 'random',
  'crypto.randomUUIDv7': 'random',
  'crypto.randomInt': 'random',
  'crypto.getRandomValues': 'random',
  'process.env': 'environment',
};
const timers = ['setTimeout', 'setInterval', 'setImmediate'];
const modules = ['node:crypto', 'node:process', 'node:perf_hooks', 'node:timers', 'node:timers/promises'];

/** Each use in this file of the machine's clock, timers, random source and environment. */
const globalUses = (source: ts.SourceFile): readonly GlobalUse[] => {
  const found: GlobalUse[] = [];
  const visit = (node: ts.Node): void => {
    found.push(...usesAt(node));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
};

const usesAt = (node: ts.Node): readonly GlobalUse[] => {
  if (ts.isImportDeclaration(node)) return importedUses(node);
  if (ts.isNewExpression(node) || ts.isCallExpression(node)) return instantUses(node);
  if (ts.isPropertyAccessExpression(node)) return memberUse(node.expression, node.name.text);
  if (ts.isElementAccessExpression(node) && ts.isStringLiteralLike(node.argumentExpression)) {
    return memberUse(node.expression, node.argumentExpression.text);
  }
  if (ts.isVariableDeclaration(node) && node.initializer && ts.isObjectBindingPattern(node.name)) {
    const { initializer } = node;
    return node.name.elements.flatMap(({ propertyName, name }) =>
      memberUse(initializer, (propertyName ?? name).getText()),
    );
  }
  if (ts.isIdentifier(node) && timers.includes(node.text) && isReference(node))
    return [{ kind: 'timers', name: node.text }];
  return [];
};

/** `new Date()` and `Date()` read the clock; `new Date(atMs)` does not. */
const instantUses = (node: ts.NewExpression | ts.CallExpression): readonly GlobalUse[] => {
  const isDate = nameOf(node.expression) === 'Date';
  const isNow = ts.isCallExpression(node) || (node.arguments?.length ?? 0) === 0;
  return isDate && isNow ? [{ kind: 'clock', name: 'new Date()' }] : [];
};

const memberUse = (object: ts.Expression, member: string): readonly GlobalUse[] => {
  const name = nameOf(object);
  if (name === 'globalThis' && timers.includes(member)) return [{ kind: 'timers', name: member }];
  const kind = members[`${name}.${member}`];
  return kind === undefined ? [] : [{ kind, name: `${name}.${member}` }];
};

/** `Date` and `globalThis.Date` are the same. */
const nameOf = (expression: ts.Expression): string | undefined => {
  if (ts.isIdentifier(expression)) return expression.text;
  const isGlobal = ts.isPropertyAccessExpression(expression) && nameOf(expression.expression) === 'globalThis';
  return isGlobal ? expression.name.text : undefined;
};

const importedUses = ({ moduleSpecifier, importClause }: ts.ImportDeclaration): readonly GlobalUse[] => {
  const module = ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : '';
  if (importClause === undefined || importClause.phaseModifier === ts.SyntaxKind.TypeKeyword) return [];
  if (!modules.includes(module)) return [];
  if (module.startsWith('node:timers')) return [{ kind: 'timers', name: module }];
  const bindings = importClause.namedBindings;
  const names = bindings && ts.isNamedImports(bindings) ? bindings.elements : [];
  return names.flatMap(({ propertyName, name }) => {
    const member = `${module.slice('node:'.length)}.${(propertyName ?? name).text}`;
    const kind = members[member];
    return kind === undefined ? [] : [{ kind, name: member }];
  });
};

/** A name that stands for the global: not a member of something else, nor the name of a declaration or property. */
const isReference = (node: ts.Identifier): boolean => {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (ts.isImportSpecifier(parent) || ts.isBindingElement(parent)) return false;
  if (ts.isShorthandPropertyAssignment(parent)) return true;
  return !('name' in parent && parent.name === node);
};

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
