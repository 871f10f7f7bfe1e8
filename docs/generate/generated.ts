import { csharpClasses } from './csharp.ts';
import { protocolPage } from './protocol-page.ts';
import { protocolSchema } from './schemas.ts';

/** The committed files that `npm run docs` makes: path below docs/ -> content. */
export const generatedFiles = (): Readonly<Record<string, string>> => ({
  'protocol.md': protocolPage(),
  'protocol.schema.json': `${JSON.stringify(protocolSchema, null, 2)}\n`,
  ...Object.fromEntries(Object.entries(csharpClasses()).map(([name, text]) => [`sdk/csharp/${name}`, text])),
});
