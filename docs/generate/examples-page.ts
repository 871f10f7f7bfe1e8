import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const folder = path.join(import.meta.dirname, '../../examples');

interface Example {
  readonly name: string;
  /** The comment at the top of the file. */
  readonly about: string;
  readonly code: string;
}

const readExample = (name: string): Example => {
  const text = readFileSync(path.join(folder, name), 'utf8');
  const [head = ''] = /^(?:\/\/ .*\n)+/.exec(text) ?? [];
  if (head === '') throw new Error(`examples/${name} does not say in its first line what it is`);
  const about = head
    .replaceAll(/^\/\/ /gm, '')
    .trim()
    .replaceAll('\n', ' ');
  return { name, about, code: text.slice(head.length) };
};

/** The first group that fits; the last one takes the rest. */
const groups: readonly (readonly [title: string, fits: (example: Example) => boolean])[] = [
  ['Programs', ({ about }) => about.includes('`npm run')],
  ['Things that take time: modules', ({ code }) => /from '(\.\.\/shared\/module\/|\.\.\/server\/works)/.test(code)],
  ['Clients', ({ code }) => code.includes("'@colyseus/sdk'")],
  ['Timers of your own', () => true],
];

const table = (examples: readonly Example[]): string =>
  [
    '| example | |',
    '|---|---|',
    ...examples.map(({ name, about }) => `| [${name}](../examples/${name}) | ${about} |`),
  ].join('\n');

/** docs/examples.md: the purpose of each file in `examples/`, from its own comment. */
export const examplesPage = (): string => {
  const examples = globSync('*.ts', { cwd: folder }).sort().map(readExample);
  const groupOf = (example: Example): string => groups.find(([, fits]) => fits(example))?.[0] ?? '';
  const parts = groups
    .map(([title]) => ({ title, own: examples.filter((example) => groupOf(example) === title) }))
    .filter(({ own }) => own.length > 0)
    .reverse()
    .map(({ title, own }) => `## ${title}\n\n${table(own)}`);
  return `<!-- Made by \`npm run docs\` from the first lines of examples/*.ts. -->
# Examples

Each file is short, to read in one go and to copy; a test runs it. The files import the sources of this repository; a game imports
\`colyseus-kibble\` and its entries. A complete game, installed from the package: [examples/town](../examples/town/README.md).

${parts.join('\n\n')}
`;
};
