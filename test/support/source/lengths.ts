import ts from 'typescript';

export const LONGEST_FILE = 250;
export const LONGEST_FUNCTION = 60;

export interface Length {
  readonly name: string;
  readonly lines: number;
}

/** Of a function. Blank lines do not count: they make it easier to read, not harder. */
export const linesOf = (text: string): number => text.split('\n').filter((line) => line.trim() !== '').length;

/** The functions of a file, those inside others too. Lines of a text in them count as one: SQL has no branches. */
export const functionsIn = (source: ts.SourceFile): readonly Length[] => {
  const found: Length[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body) {
      found.push({ name: `${source.fileName}: ${nameOf(node)}`, lines: linesOf(withoutTexts(node, source)) });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
};

const withoutTexts = (node: ts.Node, source: ts.SourceFile): string => {
  const texts: ts.Node[] = [];
  const visit = (inner: ts.Node): void => {
    if (ts.isTemplateLiteral(inner)) texts.push(inner);
    else ts.forEachChild(inner, visit);
  };
  visit(node);
  const [start, end] = [node.getStart(source), node.getEnd()];
  return texts
    .toReversed()
    .reduce(
      (text, { pos, end: textEnd }) => `${text.slice(0, pos - start)}''${text.slice(textEnd - start)}`,
      source.text.slice(start, end),
    );
};

const nameOf = (node: ts.SignatureDeclaration): string => {
  if (ts.isConstructorDeclaration(node)) return 'constructor';
  const named = node.name ?? (ts.isVariableDeclaration(node.parent) ? node.parent.name : undefined);
  return named?.getText() ?? 'a callback';
};
