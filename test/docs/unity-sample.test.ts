import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { definitions } from '../../docs/generate/schemas.ts';
import { rejectionCodes } from '../../shared/pets/protocol.ts';

const sdk = path.join(import.meta.dirname, '../../docs/sdk');
const read = (file: string): string => readFileSync(path.join(sdk, file), 'utf8');
const sample = read('unity/HomeClient.cs');

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

it('reads only fields of the state that its classes have, and codes that there are', () => {
  const pet = read('csharp/PetState.cs');
  const home = read('csharp/HomeState.cs');
  for (const [, field] of sample.matchAll(/\bpet\.(\w+)/g)) expect(pet).toContain(` ${field} =`);
  for (const [, field] of sample.matchAll(/\bstate\.(\w+)/g)) expect(home).toContain(` ${field} =`);
  const codes = [...sample.matchAll(/"([a-z]+\/[a-z-]+)"/g)].map(([, code]) => code);
  expect(codes.filter((code) => !rejectionCodes.some((known) => known === code))).toEqual([]);
});
