import { entries as packageEntries } from '../../../build/entries.ts';

/** A block of TypeScript in a page, and the lines before it that a reader does not see. */
export interface DocBlock {
  /** `docs/concepts.md:12`: where its first line is. */
  readonly name: string;
  readonly code: string;
  /** What stands in `<!-- preamble ... -->` right before it: imports and declarations that would only be in the way. */
  readonly preamble: string;
}

const block = /(?:<!-- preamble\n([\s\S]*?)\n?-->\n+)?^```ts\n([\s\S]*?)^```$/gm;

/** All ```ts blocks of a page, in order. */
export const blocksIn = (page: string, text: string): readonly DocBlock[] =>
  [...text.matchAll(block)].map((found) => {
    const [all, preamble = '', code = ''] = found;
    const line = text.slice(0, found.index + all.indexOf('```ts\n')).split('\n').length + 1;
    return { name: `${page}:${line}`, code, preamble };
  });

/** The package's entries by the names that a game imports, and the sources behind them. */
export const entries: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(packageEntries).map(([subpath, file]) => [`colyseus-kibble${subpath.slice(1)}`, `${file}.ts`]),
);

/** A line such as `cut(work, 5); // -> { ... }` as a check of it. */
export const withChecks = (code: string): string =>
  code.replace(/^(\s*)(.+?);? +\/\/ -> (.+)$/gm, '$1expectEqual($2, $3);');
