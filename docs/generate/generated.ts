import { readFileSync } from 'node:fs';
import path from 'node:path';
import { mutationPage } from '../../test/mutate/record/mutation-page.ts';
import { csharpClasses } from './csharp.ts';
import { examplesPage } from './examples-page.ts';
import { protocolPage } from './protocol-page.ts';
import { rulesSchemas } from './rules-schemas.ts';
import { withScaleTables } from './scale-page.ts';
import { protocolSchema } from './schemas.ts';
import { settingsPage } from './settings-page.ts';

const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;

/** The committed files that `npm run docs` makes, by path below docs/. */
export const generatedFiles = (): Readonly<Record<string, string>> => ({
  'examples.md': examplesPage(),
  'protocol.md': protocolPage(),
  'protocol.schema.json': json(protocolSchema),
  ...Object.fromEntries(Object.entries(rulesSchemas).map(([name, schema]) => [name, json(schema)])),
  'record/mutation.md': mutationPage(),
  'settings.md': settingsPage(),
  // Its text is written by hand; its tables come from the recorded benches.
  'scale.md': withScaleTables(readFileSync(path.join(import.meta.dirname, '../scale.md'), 'utf8')),
  ...Object.fromEntries(Object.entries(csharpClasses()).map(([name, text]) => [`sdk/csharp/${name}`, text])),
});
