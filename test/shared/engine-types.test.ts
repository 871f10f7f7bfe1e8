import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import ts from 'typescript';
import { expect, it, onTestFinished } from 'vitest';
import { csharpClasses } from '../../docs/generate/csharp.ts';

const root = path.join(import.meta.dirname, '../..');

/** The types that the SDK of every engine can decode, and every generator can write. */
const primitives = ['string', 'boolean', 'int8', 'uint8', 'int16', 'uint16', 'int32', 'uint32', 'number'];
const containers = ['ref', 'map', 'array'];

/** The types of a schema that are not for everybody: `t.name(...)`, and names in a map or an array. */
const unfitTypes = (text: string): readonly string[] => {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { expression: object, name } = node.expression;
      if (ts.isIdentifier(object) && object.text === 't') {
        if (![...primitives, ...containers].includes(name.text)) found.push(name.text);
        const [inner] = node.arguments;
        if (inner && ts.isStringLiteral(inner) && !primitives.includes(inner.text)) found.push(inner.text);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('schema.ts', text, ts.ScriptTarget.Latest, true));
  return found;
};

it('shows states of types that every engine has', () => {
  const schemas = globSync('{shared,server}/**/*.ts', { cwd: root })
    .map((file) => readFileSync(path.join(root, file), 'utf8'))
    .filter((text) => text.includes("from '@colyseus/schema'"));
  expect(schemas.flatMap(unfitTypes)).toEqual([]);
  expect(schemas.some((text) => /\bt\.number\(/.test(text))).toBe(true);
});

it.each([
  ['t.bigint64()', 'bigint64'],
  ['t.set(Pet)', 'set'],
  ['t.collection("number")', 'collection'],
  ['t.quantized({ min: 0, max: 1 })', 'quantized'],
  ['t.angle()', 'angle'],
  ['t.map("float64x")', 'float64x'],
])('sees %s', (field, type) => {
  expect(unfitTypes(`const Pet = schema({ field: ${field} }, 'Pet')`)).toEqual([type]);
});

it('throws where the generator writes a type that is none', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kibble-unfit-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'unfit-state.ts');
  const text = "import { schema, t } from '@colyseus/schema';\n";
  writeFileSync(file, `${text}export const UnfitState = schema({ total: t.bigint64() }, 'UnfitState');\n`);

  expect(() => csharpClasses(file)).toThrow('cannot write UnfitState.cs');
});
