import ts from 'typescript';

/** Results that leave a callback by a `let` of the function that awaits it, where it could return them. */
export const escapesIn = (source: ts.SourceFile): readonly string[] => {
  const found: string[] = [];
  const visit = (node: ts.Node, around: readonly Function[]): void => {
    const name = assignedIn(node);
    const at = name === undefined ? -1 : around.findIndex(({ lets }) => lets.has(name));
    if (around.slice(0, Math.max(0, at)).some(({ isAwaited }) => isAwaited)) found.push(`${source.fileName}: ${name}`);
    const inside = ts.isFunctionLike(node) || ts.isSourceFile(node) ? [asFunction(node), ...around] : around;
    ts.forEachChild(node, (child) => visit(child, inside));
  };
  visit(source, []);
  return [...new Set(found)];
};

interface Function {
  readonly lets: ReadonlySet<string>;
  /** Given to a call that is awaited. */
  readonly isAwaited: boolean;
}

const asFunction = (node: ts.Node): Function => {
  const lets = new Set<string>();
  const visit = (inner: ts.Node): void => {
    if (ts.isFunctionLike(inner)) return;
    if (ts.isVariableDeclarationList(inner) && inner.flags & ts.NodeFlags.Let) {
      for (const { name } of inner.declarations) if (ts.isIdentifier(name)) lets.add(name.text);
    }
    ts.forEachChild(inner, visit);
  };
  ts.forEachChild(node, visit);
  const { parent } = node;
  return { lets, isAwaited: parent && ts.isCallExpression(parent) && ts.isAwaitExpression(parent.parent) };
};

/** The name that a plain assignment writes. A count (`+=`, `++`) is no result. */
const assignedIn = (node: ts.Node): string | undefined => {
  const isAssignment = ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken;
  return isAssignment && ts.isIdentifier(node.left) ? node.left.text : undefined;
};
