import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '../..');
const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];

/** The names of the fields in each `log.<level>({ ... }, 'message')` of a file. */
const fieldsIn = (file: string): readonly string[] => {
  const source = ts.createSourceFile(file, readFileSync(path.join(root, file), 'utf8'), ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && isLogging(node.expression)) {
      const [fields] = node.arguments;
      if (fields && ts.isObjectLiteralExpression(fields)) {
        found.push(...fields.properties.map((property) => property.name?.getText() ?? property.getText()));
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
};

const isLogging = (callee: ts.Expression): boolean =>
  ts.isPropertyAccessExpression(callee) &&
  levels.includes(callee.name.text) &&
  /(^|\.|#)log$/.test(callee.expression.getText());

it('logs fields that docs/observability/logs.md explains, and explains none that nobody logs', () => {
  const documented = [
    ...readFileSync(path.join(root, 'docs/observability/logs.md'), 'utf8').matchAll(/^\| `(\w+)` \|/gm),
  ];
  const logged = new Set(globSync('server/**/*.ts', { cwd: root }).flatMap(fieldsIn));

  expect(documented.map(([, field]) => field).toSorted()).toEqual([...logged, 'level', 'time', 'msg'].toSorted());
});
