import { readFileSync } from 'node:fs';
import path from 'node:path';
import { mutationPage } from '../../test/mutate/record/mutation-page.ts';
import { csharpClasses } from './csharp.ts';
import { examplesPage } from './examples-page.ts';
import { protocolPage } from './protocol-page.ts';
import { withScaleTables } from './scale-page.ts';
import { protocolSchema } from './schemas.ts';
import { settingsPage } from './settings-page.ts';

/** The committed files that `npm run docs` makes: path below docs/ -> content. */
export const generatedFiles = (): Readonly<Record<string, string>> => ({
  'examples.md': examplesPage(),
  'mutation.md': mutationPage(),
  'protocol.md': protocolPage(),
  'protocol.schema.json': `${JSON.stringify(protocolSchema, null, 2)}\n`,
  'settings.md': settingsPage(),
  // Its text is written by hand, its tables come from the recorded benches.
  'scale.md': withScaleTables(readFileSync(path.join(import.meta.dirname, '../scale.md'), 'utf8')),
  ...Object.fromEntries(Object.entries(csharpClasses()).map(([name, text]) => [`sdk/csharp/${name}`, text])),
});
