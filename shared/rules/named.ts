import { z } from 'zod';

/** A name in a catalogue. `constructor` is none: every object has that one, so a careless look-up would find it. */
export const name = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'a name is 1 to 32 of a-z, 0-9 and -, not beginning with -')
  .refine((text) => !(text in Object.prototype), 'the name is one that every object has');

/** An object by name. A plain `z.record` drops `__proto__` without a word; here it is a fault. */
export const namedOf = <Name extends z.core.$ZodRecordKey, Entry extends z.ZodType>(
  names: Name,
  entry: Entry,
): z.ZodType<z.output<z.ZodRecord<Name, Entry>>, z.input<z.ZodRecord<Name, Entry>>> =>
  // `preprocess` takes anything, and says so in its type; what a file should have is what the record takes.
  z.preprocess(
    (value, context) => {
      if (typeof value === 'object' && value !== null && Object.hasOwn(value, '__proto__')) {
        context.addIssue({ code: 'custom', message: 'has the name __proto__', input: undefined });
      }
      return value;
    },
    z.record(names, entry),
  ) as z.ZodType<z.output<z.ZodRecord<Name, Entry>>, z.input<z.ZodRecord<Name, Entry>>>;
