import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { definitions } from '../../docs/generate/schemas.ts';
import { rejectionCodes } from '../../shared/pets/protocol.ts';
import { csharpCompiler } from '../support/machine/csharp-compiler.ts';

const sdk = path.join(import.meta.dirname, '../../docs/sdk');
const read = (file: string): string => readFileSync(path.join(sdk, file), 'utf8');
const sample = read('unity/HomeClient.cs');

it('compiles, with the states, beside what Unity and its SDK have', { timeout: 60_000 }, ({ skip }) => {
  const compile = csharpCompiler();
  if (typeof compile === 'string') return skip(`no C# compiler (${compile}): only names are checked`);
  const states = ['csharp/HomeState.cs', 'csharp/PetState.cs'].map((file) => path.join(sdk, file));
  const files = [path.join(import.meta.dirname, 'unity/UnityAndColyseus.cs'), ...states];
  expect(compile(...files, path.join(sdk, 'unity/HomeClient.cs'))).toMatchObject({ code: 0, said: '' });
  // Without its states it does not: the compiler reads what it is given.
  const [stubs = ''] = files;
  expect(compile(stubs, path.join(sdk, 'unity/HomeClient.cs'))).toMatchObject({ code: 1 });
});

it('casts nothing inside a message to a Dictionary, which the SDK does not make of it', () => {
  expect(sample).not.toMatch(/\(Dictionary<string, object>\)/);
});

it('sends and hears only messages that there are', () => {
  const names = [...sample.matchAll(/"(home:[\w-]+)"/g)].map(([, name = '']) => name);
  const known = [...Object.keys(definitions), 'home:reply', 'home:rejected'];
  expect(new Set(names).size).toBeGreaterThan(5);
  expect(names.filter((name) => !known.includes(name))).toEqual([]);
});

it('sends the fields of each message that it sends', () => {
  const sent = [...sample.matchAll(/"(home:[\w-]+)", new Dictionary<string, object>\s*(?:\(\)|\{([^}]*)\})/g)];
  expect(sent).not.toHaveLength(0);
  for (const [, name = '', fields = ''] of sent) {
    const own = [...fields.matchAll(/\["(\w+)"\]/g)].map(([, field]) => field);
    const schema = definitions[name]?.properties ?? {};
    expect(own.filter((field) => !(String(field) in schema))).toEqual([]);
    const required = (definitions[name]?.required ?? []).filter((field) => field !== 'commandId');
    expect(own).toEqual(expect.arrayContaining([...required]));
  }
});

it('reads only fields of things that they have, and codes that there are', () => {
  const fieldsOf = (name: string): readonly string[] => Object.keys(definitions[name]?.properties ?? {});
  const ofThings = sample.slice(sample.indexOf('void OnThings'), sample.indexOf('static string Field'));
  const readOf = (what: string): readonly string[] =>
    [...ofThings.matchAll(new RegExp(`\\b(?:${what})\\["(\\w+)"\\]`, 'g'))].map(([, field = '']) => field);
  expect(fieldsOf('home:things')).toEqual(expect.arrayContaining([...readOf('message|part')]));
  expect(readOf('message|part')).toContain('things');
  expect(readOf('told').toSorted()).toEqual(fieldsOf('thing').toSorted());
  const codes = [...sample.matchAll(/"([a-z]+\/[a-z-]+)"/g)].map(([, code]) => code);
  expect(codes.filter((code) => !rejectionCodes.some((known) => known === code))).toEqual([]);
});
