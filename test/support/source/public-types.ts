import path from 'node:path';
import ts from 'typescript';

const root = path.join(import.meta.dirname, '../../..');

/** The declarations of these sources as the package has them, by file name; made in memory. */
export const declarationsOf = (files: readonly string[]): ReadonlyMap<string, string> => {
  const { config } = ts.readConfigFile(path.join(root, 'tsconfig.build.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const own = { ...options, rootDir: root, outDir: root, emitDeclarationOnly: true, noCheck: true };
  const program = ts.createProgram(files.map(inRoot), own);
  const made = new Map<string, string>();
  program.emit(undefined, (file, text) => made.set(path.resolve(file), text));
  return made;
};

/**
 * `createKibble: Missing` for each type of ours that stands in an exported declaration of `entries` and that none of
 * them exports: a game could not name it.
 */
export const unnamedTypes = (entries: readonly string[], declarations: ReadonlyMap<string, string>) => {
  const program = programOf(entries.map(declarationFile), declarations);
  const checker = program.getTypeChecker();
  const resolve = (symbol: ts.Symbol): ts.Symbol =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const exported = new Map<ts.Symbol, string>();
  for (const entry of entries) {
    const source = program.getSourceFile(declarationFile(entry));
    const module = source && checker.getSymbolAtLocation(source);
    if (!module) throw new Error(`${entry} exports nothing`);
    for (const symbol of checker.getExportsOfModule(module)) exported.set(resolve(symbol), symbol.name);
  }
  const isOurs = (node: ts.Node): boolean => declarations.has(path.resolve(node.getSourceFile().fileName));
  const faults = new Set<string>();
  for (const [symbol, name] of exported) {
    for (const declaration of symbol.declarations ?? []) {
      if (!isOurs(declaration)) continue;
      for (const named of namesIn(declaration)) {
        const found = checker.getSymbolAtLocation(named);
        const target = found && resolve(found);
        if (target && isDeclaredByUs(target, isOurs) && !exported.has(target)) faults.add(`${name}: ${target.name}`);
      }
    }
  }
  return { faults: [...faults].sort(), exported: [...exported.values()] };
};

const inRoot = (file: string): string => path.join(root, file);

const declarationFile = (file: string): string => inRoot(file.replace(/\.ts$/, '.d.ts'));

/** By what was made: the programs of one package differ in nothing but their entries. */
const parsed = new WeakMap<ReadonlyMap<string, string>, Map<string, ts.SourceFile>>();

const parsedOf = (made: ReadonlyMap<string, string>): Map<string, ts.SourceFile> => {
  const files = parsed.get(made) ?? new Map<string, ts.SourceFile>();
  parsed.set(made, files);
  return files;
};

const programOf = (files: readonly string[], made: ReadonlyMap<string, string>): ts.Program => {
  const options = { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2024, strict: true, noEmit: true };
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  // Of ours there are only the declarations: a source beside them would be found first.
  const isSource = (file: string): boolean =>
    !file.includes('node_modules') && !file.endsWith('.d.ts') && made.has(file.replace(/\.ts$/, '.d.ts'));
  host.fileExists = (file) => made.has(path.resolve(file)) || (!isSource(file) && fileExists.call(host, file));
  host.readFile = (file) => made.get(path.resolve(file)) ?? readFile.call(host, file);
  host.getSourceFile = (file, version, ...more) => {
    const text = made.get(path.resolve(file));
    return text === undefined
      ? getSourceFile.call(host, file, version, ...more)
      : ts.createSourceFile(
          file,
          text.replace(/(from|import\()( ?['"]\.[^'"]*)\.ts(['"])/g, '$1$2.js$3'),
          version,
          true,
        );
  };
  return ts.createProgram([...files], options, parsedOnce(host, parsedOf(made)));
};

/** The names of types in a declaration. A `typeof` names a value: its own type is what counts. */
const namesIn = (declaration: ts.Node): readonly ts.Node[] => {
  const found: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isTypeReferenceNode(node)) found.push(lastOf(node.typeName));
    else if (ts.isExpressionWithTypeArguments(node)) found.push(node.expression);
    else if (ts.isImportTypeNode(node) && node.qualifier) found.push(lastOf(node.qualifier));
    ts.forEachChild(node, visit);
  };
  visit(declaration);
  return found;
};

const lastOf = (name: ts.EntityName): ts.Node => (ts.isIdentifier(name) ? name : name.right);

const isDeclaredByUs = (symbol: ts.Symbol, isOurs: (node: ts.Node) => boolean): boolean =>
  (symbol.flags & (ts.SymbolFlags.TypeParameter | ts.SymbolFlags.Property)) === 0 &&
  symbol.declarations?.some(isOurs) === true;

/** A host that parses each file once for all programs that share `parsed`; they must have the same options. */
export const parsedOnce = (host: ts.CompilerHost, parsed: Map<string, ts.SourceFile>): ts.CompilerHost => {
  const { getSourceFile } = host;
  return {
    ...host,
    getSourceFile: (file, ...more) => {
      const source = parsed.get(file) ?? getSourceFile.call(host, file, ...more);
      if (source) parsed.set(file, source);
      return source;
    },
  };
};
