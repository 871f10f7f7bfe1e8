import ts from 'typescript';
import { parse } from './parse.ts';

export const LARGEST_PORT = 7;

/** A port: an interface of the server that a class implements, itself or as part of another that extends it. */
export interface Port {
  readonly name: string;
  readonly file: string;
  /** Its own methods, and members that are functions. Those that it inherits count where they are declared. */
  readonly methods: number;
}

interface Declared extends Port {
  readonly parents: readonly string[];
}

/** The ports among these files, largest first. */
export const portsIn = (texts: ReadonlyMap<string, string>): readonly Port[] => {
  const declared = new Map<string, Declared>();
  const implemented = new Set<string>();
  for (const [file, text] of texts) {
    const visit = (node: ts.Node): void => {
      if (ts.isInterfaceDeclaration(node)) declared.set(node.name.text, portOf(file, node));
      if (ts.isClassLike(node))
        for (const name of namesIn(node, ts.SyntaxKind.ImplementsKeyword)) implemented.add(name);
      ts.forEachChild(node, visit);
    };
    visit(parse(file, text));
  }
  // A set that grows while it is walked: parents of parents are reached too.
  for (const name of implemented) for (const parent of declared.get(name)?.parents ?? []) implemented.add(parent);
  return [...implemented]
    .flatMap((name) => declared.get(name) ?? [])
    .map(({ name, file, methods }) => ({ name, file, methods }))
    .toSorted((one, other) => other.methods - one.methods || one.name.localeCompare(other.name));
};

const portOf = (file: string, node: ts.InterfaceDeclaration): Declared => ({
  file,
  name: node.name.text,
  methods: node.members.filter(isMethod).length,
  parents: namesIn(node, ts.SyntaxKind.ExtendsKeyword),
});

const isMethod = (member: ts.TypeElement): boolean =>
  ts.isMethodSignature(member) ||
  (ts.isPropertySignature(member) && member.type !== undefined && ts.isFunctionTypeNode(member.type));

const namesIn = (
  { heritageClauses = [] }: { readonly heritageClauses?: readonly ts.HeritageClause[] | undefined },
  token: ts.SyntaxKind,
): readonly string[] =>
  heritageClauses
    .filter((clause) => clause.token === token)
    .flatMap(({ types }) => types.map(({ expression }) => expression.getText()));
