import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

interface Command<Options extends ParseArgsOptionsConfig> {
  readonly usage: string;
  readonly options: Options;
  /** Words that are no options. Default: none. */
  readonly takesWords?: true;
}

type Parsed<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Options; allowPositionals: true }>
>;

const HELP = { help: { type: 'boolean', short: 'h' } } as const;

/**
 * What a command of this checkout was asked, as `read` makes it of the arguments; it throws for what it does not know. With
 * `--help` the command says its usage and ends; for an argument that is none it says what was wrong too, and ends with 2.
 */
export const readArguments = <const Options extends ParseArgsOptionsConfig, Asked>(
  { usage, options, takesWords }: Command<Options>,
  read: (parsed: Parsed<Options>) => Asked,
): Asked => {
  const args = process.argv.slice(2);
  try {
    // Help first, whatever else was given.
    const { help } = parseArgs({
      args,
      options: { ...options, ...HELP },
      allowPositionals: true,
      strict: false,
    }).values;
    if (help !== true) {
      const parsed = parseArgs({ args, options, allowPositionals: true });
      const [word] = parsed.positionals;
      if (word !== undefined && !takesWords) throw new Error(`“${word}” is no option`);
      return read(parsed);
    }
    process.stdout.write(usage);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    process.exit(2);
  }
  process.exit(0);
};

/** Throws for what is no number, or a smaller one. */
export const atLeast = (least: number, name: string, text: string): number => {
  const number = Number(text);
  if (!(number >= least) || text.trim() === '')
    throw new RangeError(`--${name}: a number from ${least} on, not “${text}”`);
  return number;
};
