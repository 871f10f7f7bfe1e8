import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

export interface Round {
  readonly names: readonly string[];
  readonly isCallsAlone: boolean;
}

/** Contenders that are measured in turn, with so many waiting timers. */
export interface Block<Sizes> {
  readonly pending: number;
  readonly rounds: readonly Round[];
  readonly sizes: Sizes;
}

/** The choices of a command line of peers or strategies. */
interface Choice {
  readonly isQuick: boolean;
  /** Without `--only`, which leaves some out: only then is the result recorded. */
  readonly isWhole: boolean;
  readonly isWanted: (name: string) => boolean;
  readonly pendings: readonly number[];
  readonly rounds: number;
  /** The values of the other options. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** Reads `--quick`, `--only`, `--pending`, `--rounds` and the other options. Throws for unknown ones. */
export const choiceFrom = (
  args: readonly string[],
  defaults: { readonly pending: string; readonly rounds: string },
  besides: ParseArgsOptionsConfig = {},
): Choice => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      pending: { type: 'string', default: defaults.pending },
      rounds: { type: 'string', default: defaults.rounds },
      ...besides,
    },
  });
  const only = values.only?.split(',').map((part) => part.trim().toLowerCase());
  return {
    isQuick: values.quick,
    isWhole: !values.quick && only === undefined,
    isWanted: (name) => only?.some((part) => name.toLowerCase().includes(part)) ?? true,
    pendings: values.quick ? [1_000] : values.pending.split(',').map((each) => wholeOf('pending', each)),
    rounds: values.quick ? 1 : wholeOf('rounds', values.rounds),
    values,
  };
};

/** Throws for a text that is no whole number from 1 on. */
export const wholeOf = (option: string, text: unknown): number => {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) throw new RangeError(`--${option} wants whole numbers`);
  return number;
};
