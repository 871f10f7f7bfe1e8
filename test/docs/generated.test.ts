import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { generatedFiles } from '../../docs/generate/generated.ts';
import { closeCodes, routes } from '../../docs/generate/protocol-words.ts';
import { definitions } from '../../docs/generate/schemas.ts';
import { TOKEN_ENDED } from '../../server/room/home-room.ts';

const root = path.join(import.meta.dirname, '../..');
const files = Object.entries(generatedFiles());

it.each(files)('has docs/%s as the sources have it (cure: npm run docs)', (file, content) => {
  expect(readFileSync(path.join(root, 'docs', file), 'utf8')).toBe(content);
});

it('has no class of a type that is gone', () => {
  const committed = globSync('sdk/csharp/*', { cwd: path.join(root, 'docs') }).map((file) =>
    file.replaceAll(path.sep, '/'),
  );
  expect(committed.toSorted()).toEqual(
    files
      .map(([file]) => file)
      .filter((file) => file.startsWith('sdk/'))
      .toSorted(),
  );
});

it('has every message, reply and push in the schema, and points nowhere else', () => {
  const text = JSON.stringify(definitions);
  const pointers = [...text.matchAll(/#\/\$defs\/([\w:-]+)/g)].map(([, name]) => name ?? '');
  expect(pointers).not.toHaveLength(0);
  expect(pointers.filter((name) => definitions[name] === undefined)).toEqual([]);
  expect(Object.keys(definitions)).toEqual(
    expect.arrayContaining(['home:use-card', 'home:events', 'reply', 'rejection']),
  );
});

it('lists each route of the server', () => {
  const registered = globSync('server/{http,reference}/**/*.ts', { cwd: root }).flatMap((file) =>
    [...readFileSync(path.join(root, file), 'utf8').matchAll(/\bapp\.(get|post|put|delete)\('([^']+)'/g)].map(
      ([, method = '', route = '']) => `${method.toUpperCase()} ${route}`,
    ),
  );
  const listed = routes.map(([route]) => route);
  expect(registered).toContain('GET /metrics');
  expect(registered.filter((route) => !listed.includes(route) && !route.includes(' /ops'))).toEqual([]);
});

it('lists close codes that Colyseus has, and our own', async () => {
  const { CloseCode } = await import('@colyseus/core');
  const known = [...Object.values(CloseCode), TOKEN_ENDED].map(String);
  expect(closeCodes.flatMap(([codes]) => codes.split(', ')).filter((code) => !known.includes(code))).toEqual([]);
});
