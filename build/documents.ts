import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const pages = [
  '{README,README.zh,CHANGELOG,SECURITY,ARCHITECTURE,CONTRIBUTING}.md',
  'docs/**/*.md',
  'bench/{README,results/README,results/peers}.md',
  'examples/town/README.md',
];
/** Files that pages show or programs read. */
const files = [
  'LICENSE',
  'llms.txt',
  'docs/*.json',
  'docs/observability/**/*.{yml,json}',
  'docs/sdk/**/*.cs',
  'examples/**/*.{ts,json}',
];

const linksOf = (text: string): readonly string[] =>
  [...text.replaceAll(/(`{2,})[\s\S]*?\1/g, '').matchAll(/\]\((?!\w+:|#)([^)\s#]+)/g)].map(([, link = '']) => link);

/** The files of this clone to which a page links, without other addresses. */
export const linkedBy = (root: string, page: string): readonly string[] =>
  linksOf(readFileSync(path.join(root, page), 'utf8')).map((link) => path.posix.join(path.posix.dirname(page), link));

/** The pages of the package with their pictures, so that no link of the README is dead. */
export const documents = (root: string): readonly string[] => {
  const exclude = ['docs/api/**', '**/node_modules/**'];
  const found = globSync([...pages, ...files], { cwd: root, exclude }).map((file) => file.replaceAll(path.sep, '/'));
  const pictures = found.filter((file) => file.endsWith('.md')).flatMap((page) => linkedBy(root, page));
  return [...new Set([...found, ...pictures.filter((file) => /\.(png|svg)$/.test(file))])].sort();
};
