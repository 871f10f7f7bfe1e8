import { z } from 'zod';

/** Text that every store and log can store: no control characters, no lone surrogates. */
export const text = (min: number, max: number) =>
  z
    .string()
    .min(min)
    .max(max)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'has characters that are not text');

/** Letters of any language, and inside also marks, digits, spaces, _ and -. */
const NAME = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}_ -]{0,30}[\p{L}\p{M}\p{N}_-])?$/u;
/** The same, as far as a pattern without `u` can say it. */
const NAME_ON_PAPER = '^[^\\s!-\\/:-@\\[-`{-~](?:[^\\t-\\r!-,.\\/:-@\\[-^`{-~]{0,30}[^\\s!-,.\\/:-@\\[-^`{-~])?$';

/** A name in a catalogue. `constructor` is none: every object has it, so a careless look-up would find it. */
export const name = z
  .string()
  .regex(NAME, 'a name is 1 to 32 letters and digits, with _, - and spaces between them')
  .refine((text) => text === text.normalize(), 'the name is not as Unicode composes it: write it in NFC')
  .refine((text) => !(text in Object.prototype), 'the name is one that every object has')
  .meta({ pattern: NAME_ON_PAPER });

/** An object by name. A plain `z.record` drops `__proto__` silently; here it is a fault. */
export const namedOf = <Name extends z.core.$ZodRecordKey, Entry extends z.ZodType>(
  names: Name,
  entry: Entry,
): z.ZodType<z.output<z.ZodRecord<Name, Entry>>, z.input<z.ZodRecord<Name, Entry>>> => guarded(z.record(names, entry));

/** A part with more entries is refused before they are read: each may have a fault. */
export const MOST_ENTRIES = 10_000;

/** An object in which `__proto__` is a fault, or a list. Not more than 10,000 entries. */
export const guarded = <Shape extends z.ZodType>(shape: Shape): z.ZodType<z.output<Shape>, z.input<Shape>> =>
  // `preprocess` has the input type unknown; the right type is that of the record.
  z.preprocess((value, context) => {
    if (typeof value === 'object' && value !== null && Object.hasOwn(value, '__proto__')) {
      context.addIssue({ code: 'custom', message: 'has the name __proto__', input: undefined });
    }
    const entries = typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
    if (entries > MOST_ENTRIES) context.addIssue(`has ${entries} entries, and ${MOST_ENTRIES} are the most`);
    return value;
  }, shape) as unknown as z.ZodType<z.output<Shape>, z.input<Shape>>;

const DAY_MS = 86_400_000;
/** "1w", "1d12h", "1.5h", "90s", "250ms": larger units first. Three decimals are whole milliseconds, except of ms. */
const TEXT =
  /^(?:(\d+(?:\.\d{1,3})?)w)?(?:(\d+(?:\.\d{1,3})?)d)?(?:(\d+(?:\.\d{1,3})?)h)?(?:(\d+(?:\.\d{1,3})?)m(?!s))?(?:(\d+(?:\.\d{1,3})?)s)?(?:(\d+)ms)?$/;
const UNITS_MS = [7 * DAY_MS, DAY_MS, 3_600_000, 60_000, 1000, 1];

/** Milliseconds; undefined for an invalid duration. */
export const durationMsOf = (value: unknown): number | undefined => {
  if (typeof value === 'number') return Number.isInteger(value) ? value : undefined;
  const found = typeof value === 'string' && value !== '' ? TEXT.exec(value) : null;
  return found?.slice(1).reduce((sumMs, count, at) => sumMs + Math.round(Number(count ?? 0) * (UNITS_MS[at] ?? 0)), 0);
};

/** Its JSON Schema. */
const ON_PAPER = {
  anyOf: [
    { type: 'integer', minimum: 1 },
    { type: 'string', pattern: TEXT.source, minLength: 2 },
  ],
};

/** A whole number of milliseconds, or text; read as milliseconds, from 1 to that many days. */
export const duration = (maxDays: number) =>
  z
    .custom<number | string>()
    .meta(ON_PAPER)
    .transform((value, context) => {
      const ms = durationMsOf(value);
      if (ms !== undefined && ms >= 1 && ms <= maxDays * DAY_MS) return ms;
      context.addIssue(
        `is no time from 1 ms to ${maxDays}d: write whole milliseconds, or "90s", "1.5h", "2d12h", "1w"`,
      );
      return z.NEVER;
    });

const LONGEST_PART = 64;
const LONGEST_LINE = 500;

const cut = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most)}...`.toWellFormed() : text;

/** A fault may repeat a text of the file, which may be long. */
export const shortLine = (line: string): string => cut(line, LONGEST_LINE);

/** `path: what is wrong` for a fault in a rules file. Of a union's faults, shows those of the likeliest option. */
export function* faultLines(issue: z.core.$ZodIssue, at: readonly PropertyKey[] = []): Generator<string> {
  const path = [...at, ...issue.path];
  const within = issue.code === 'invalid_union' ? (issue.errors.findLast(isOfThatType) ?? issue.errors[0] ?? []) : [];
  for (const one of within) yield* faultLines(one, path);
  if (within.length > 0) return;
  const { message } = (issue.code === 'invalid_key' && issue.issues[0]) || issue;
  yield `${path.map((part) => cut(String(part), LONGEST_PART)).join('.') || 'rules'}: ${message}`;
}

const isOfThatType = (issues: readonly z.core.$ZodIssue[]): boolean =>
  !issues.some(({ code, path }) => code === 'invalid_type' && path.length === 0);
