import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const read = (page: string): string => readFileSync(path.join(import.meta.dirname, '../..', page), 'utf8');

/** Headings by their level, code without its comments, links by their target. */
const shapeOf = (text: string) => ({
  headings: [...text.matchAll(/^(#+) /gm)].map(([, level]) => level),
  code: [...text.matchAll(/^```\w+\n(.*?)^```/gms)].map(([, code = '']) => code.replace(/ *(\/\/|# ).*$/gm, '')),
  links: [...text.matchAll(/\]\(([^)]+\.md[^)]*)\)/g)].map(([, link]) => link),
});

it('README.zh.md has the sections, the code and the links of README.md, in their order', () => {
  const [english, chinese] = [shapeOf(read('README.md')), shapeOf(read('README.zh.md'))];
  expect(english.headings.length).toBeGreaterThan(5);
  expect(english.code.length).toBeGreaterThan(3);
  const toEachOther = (links: readonly (string | undefined)[]) => links.filter((link) => !/^README/.test(link ?? ''));
  expect({ ...chinese, links: toEachOther(chinese.links) }).toEqual({ ...english, links: toEachOther(english.links) });
});
