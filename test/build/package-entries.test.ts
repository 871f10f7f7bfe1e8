import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

/** The packages that are loaded when `file` is imported, by itself or by what it imports; types load nothing. */
const packagesBehind = (file: string, seen = new Set<string>()): ReadonlySet<string> => {
  const packages = new Set<string>();
  if (seen.has(file)) return packages;
  seen.add(file);
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  for (const specifier of source.statements.flatMap(loadedBy)) {
    if (!specifier.startsWith('.')) packages.add(specifier);
    else for (const name of packagesBehind(path.resolve(path.dirname(file), specifier), seen)) packages.add(name);
  }
  return packages;
};

const loadedBy = (statement: ts.Statement): readonly string[] => {
  if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return [];
  const { moduleSpecifier } = statement;
  if (moduleSpecifier === undefined || !ts.isStringLiteral(moduleSpecifier)) return [];
  const isOfTypes = ts.isImportDeclaration(statement)
    ? statement.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword
    : statement.isTypeOnly;
  return isOfTypes ? [] : [moduleSpecifier.text];
};

const root = path.join(import.meta.dirname, '../..');
const behind = (file: string): readonly string[] => [...packagesBehind(path.join(root, file))].sort();

it('a game that wants timers needs no Colyseus for them', () => {
  const packages = behind('server/timers.ts');
  expect(packages.filter((name) => name.startsWith('@colyseus/'))).toEqual([]);
  // The test would see one.
  expect(packages).toEqual(expect.arrayContaining(['ioredis', 'pg', 'typeorm']));
  expect(behind('server/kibble.ts')).toContain('@colyseus/core');
});

it('the command starts without the players of `kibble load`, which the image of a server lacks', () => {
  const loaded = new Set<string>();
  packagesBehind(path.join(root, 'server/cli/kibble-command.ts'), loaded);
  const folders = [...loaded].map((file) => path.relative(root, file).split(path.sep)[0]);
  expect([...new Set(folders)].sort()).toEqual(['server', 'shared']);
});

it('a module needs nothing but zod, and that for its types alone', () => {
  expect(behind('shared/module/module.ts').filter((name) => name !== 'zod')).toEqual([]);
});

it('the arithmetic of timed work needs nothing at all', () => {
  expect(behind('shared/work.ts')).toEqual([]);
  // What a game imports has the calendar too.
  expect(behind('shared/calendar/work-entry.ts')).toEqual(['croner']);
});
