import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { build } from 'vite';
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
  // The game's entry has the calendar, too.
  expect(behind('shared/calendar/work-entry.ts')).toEqual(['croner']);
});

it('a page that takes arithmetic from `colyseus-kibble/work` is not given the calendar', async () => {
  const entry = path.join(root, 'shared/calendar/work-entry.ts');
  const sizeOf = async (code: string): Promise<number> => {
    const made = await build({
      ...{ configFile: false, root, logLevel: 'error' },
      build: { write: false, rolldownOptions: { input: 'a-page' } },
      plugins: [
        {
          name: 'a-page',
          resolveId: (id) => (id === 'a-page' ? id : null),
          load: (id) => (id === 'a-page' ? code : null),
        },
      ],
    });
    const [{ output } = { output: [] }] = Array.isArray(made) ? made : 'output' in made ? [made] : [];
    return output.reduce((sum, one) => sum + ('code' in one ? one.code.length : 0), 0);
  };
  const work = `import { cut } from '${entry}'; console.log(cut({ leftMs: 5, sinceAtMs: 0 }, 5));`;
  expect(await sizeOf(work)).toBeLessThan(1000);
  const calendar = `import { nextAt } from '${entry}'; console.log(nextAt('@daily', 'UTC', 0));`;
  expect(await sizeOf(calendar)).toBeGreaterThan(10_000);
});
