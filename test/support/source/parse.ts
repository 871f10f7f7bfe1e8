import ts from 'typescript';

/** Held weakly: the process goes on with other tests, which want the memory. */
const parsed = new Map<string, WeakRef<ts.SourceFile>>();

/** Each text once, for several measures are taken of the same files. */
export const parse = (file: string, text: string): ts.SourceFile => {
  const known = parsed.get(file)?.deref();
  if (known?.text === text) return known;
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  parsed.set(file, new WeakRef(source));
  return source;
};

/** A file's imports in any form: types, re-exports and dynamic imports too. */
export const importsOf = (source: ts.SourceFile): readonly string[] => {
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
