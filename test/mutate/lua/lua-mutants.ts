/** One small change of a script. */
export interface LuaMutant {
  readonly line: number;
  readonly mutator: string;
  /** The line before and after. */
  readonly was: string;
  readonly is: string;
  /** The whole script. */
  readonly text: string;
}

interface Operator {
  readonly mutator: string;
  readonly found: RegExp;
  readonly by: (piece: string) => readonly string[];
}

const swapped = (mutator: string, found: RegExp, pairs: Readonly<Record<string, string>>): Operator => ({
  mutator,
  found,
  by: (piece) => [pairs[piece] ?? piece],
});

const operators: readonly Operator[] = [
  swapped('comparison', /(?<= )(?:<=|>=|==|~=|<|>)(?= )/g, {
    '<': '<=',
    '<=': '<',
    '>': '>=',
    '>=': '>',
    '==': '~=',
    '~=': '==',
  }),
  swapped('arithmetic', /(?<= )[-+*/](?= )/g, { '+': '-', '-': '+', '*': '/', '/': '*' }),
  swapped('logic', /\b(?:and|or)\b/g, { and: 'or', or: 'and' }),
  { mutator: 'negation', found: /\bnot /g, by: () => [''] },
  {
    mutator: 'constant',
    found: /(?<![\w.]|KEYS\[)\d+\b/g,
    by: (piece) => [String(Number(piece) + 1), String(Number(piece) - 1)],
  },
  { mutator: 'dropped call', found: /(?<=^ *|then )redis\.p?call\(.*?\)(?=$| end$)/g, by: () => [''] },
  { mutator: 'dropped guard', found: /^if .* then return .* end$/g, by: () => [''] },
];

/** Every mutant of a script, comments and strings left alone. */
export const luaMutants = (script: string): readonly LuaMutant[] => {
  const lines = script.split('\n');
  const header = lines.findIndex((line) => line.includes(']]'));
  return lines.flatMap((line, at) => (at <= header || /^\s*--/.test(line) ? [] : mutantsOf(lines, at)));
};

const mutantsOf = (lines: readonly string[], at: number): readonly LuaMutant[] => {
  const was = lines[at] ?? '';
  const isInString = (index: number): boolean => was.slice(0, index).split("'").length % 2 === 0;
  return operators.flatMap(({ mutator, found, by }) =>
    [...was.matchAll(found)]
      .filter(({ index }) => !isInString(index))
      .flatMap(({ index, 0: piece }) =>
        by(piece).map((other) => {
          const is = was.slice(0, index) + other + was.slice(index + piece.length);
          return { line: at + 1, mutator, was: was.trim(), is: is.trim(), text: lines.with(at, is).join('\n') };
        }),
      ),
  );
};
