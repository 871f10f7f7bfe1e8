import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

interface Command<Options extends ParseArgsOptionsConfig> {
  readonly usage: string;
  readonly options: Options;
  /** Accepts words that are no options. Default: none. */
  readonly takesWords?: true;
}

type Parsed<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Options; allowPositionals: true }>
>;

const HELP = { help: { type: 'boolean', short: 'h' } } as const;

/**
 * Parses the arguments of a command of this checkout with `read`, which throws for unknown ones. `--help` prints the
 * usage and ends; an invalid argument also prints the fault, and ends with 2.
 */
export const readArguments = <const Options extends ParseArgsOptionsConfig, Asked>(
  { usage, options, takesWords }: Command<Options>,
  read: (parsed: Parsed<Options>) => Asked,
): Asked =>
  readWith(usage, (args) => {
    const parsed = parseArgs({ args, options, allowPositionals: true });
    const [word] = parsed.positionals;
    if (word !== undefined && !takesWords) throw new Error(`“${word}” is no option`);
    return read(parsed);
  });

/** The same for a `read` that parses by itself. */
export const readWith = <Asked>(usage: string, read: (args: string[]) => Asked): Asked => {
  const args = process.argv.slice(2);
  try {
    // Help comes first, whatever other arguments are.
    const { help } = parseArgs({ args, options: HELP, allowPositionals: true, strict: false }).values;
    if (help !== true) return read(args);
    process.stdout.write(usage);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    process.exit(2);
  }
  process.exit(0);
};

/** Throws for a text that is no number, or a smaller one. */
export const atLeast = (least: number, name: string, text: string): number => {
  const number = Number(text);
  if (!(number >= least) || text.trim() === '')
    throw new RangeError(`--${name}: a number from ${least} on, not “${text}”`);
  return number;
};
