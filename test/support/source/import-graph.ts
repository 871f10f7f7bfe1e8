import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

/** The packages that are loaded when `file` is imported, by itself or by what it imports; types load nothing. */
export const packagesBehind = (file: string, seen = new Set<string>()): ReadonlySet<string> => {
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
