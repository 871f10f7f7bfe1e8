import type { JobFilter } from './job-filter.ts';

/**
 * One input of an act, as data. It gives the schema (`schema.ts`), the option of the command and the field of the
 * page's dialog, so the page loads no schema library.
 */
export type Input = Kind & Option & { readonly isOptional?: true };

type Kind =
  | { readonly type: keyof Values }
  | { readonly type: 'text' | 'whole'; readonly from: number; readonly to: number }
  | { readonly type: 'choice'; readonly of: readonly string[] };

/** The terminal's option; without a flag an argument. */
interface Option {
  /** In `commander`'s form: `--by <duration>`. */
  readonly flag?: string;
  readonly about?: string;
  /** The terminal's default if the option is missing. */
  readonly preset?: string | number | undefined;
}

/** The checked value of each type. Durations in milliseconds; `shift` is a duration with a sign, and never 0. */
interface Values {
  readonly text: string;
  /** Stored text, with any characters. */
  readonly raw: string;
  readonly name: string;
  readonly player: string;
  readonly timer: string;
  readonly command: string;
  readonly whole: number;
  readonly shift: number;
  readonly duration: number;
  readonly instant: number;
  readonly flag: boolean;
  readonly choice: string;
  readonly items: Record<string, number>;
  readonly filter: JobFilter;
  /** Any JSON: the act parses it. */
  readonly json: unknown;
}

export type Inputs = Readonly<Record<string, Input>>;

type ValueOf<Given> = Given extends { readonly of: readonly (infer One)[] }
  ? One
  : Given extends { readonly type: infer Type extends keyof Values }
    ? Values[Type]
    : never;

type OptionalOf<Given> = {
  [Name in keyof Given]: Given[Name] extends { readonly isOptional: true } ? Name : never;
}[keyof Given];

/** The checked values of these inputs. */
export type ValuesOf<Given> = { readonly [Name in Exclude<keyof Given, OptionalOf<Given>>]: ValueOf<Given[Name]> } & {
  readonly [Name in OptionalOf<Given>]?: ValueOf<Given[Name]> | undefined;
};

export const textInput = (from: number, to: number) => ({ type: 'text', from, to }) as const;
/** As long as a timer's kind, owner or subject may be. */
export const timerNameInput = textInput(1, 512);
export const thingId = textInput(1, 256);
export const wholeInput = (from: number, to: number) => ({ type: 'whole', from, to }) as const;
export const choice = <const Of extends readonly string[]>(of: Of) => ({ type: 'choice', of }) as const;
export const a = <const Type extends Exclude<keyof Values, 'text' | 'whole' | 'choice'>>(type: Type) =>
  ({ type }) as const;
export const maybe = <const Given extends Input>(input: Given) => ({ ...input, isOptional: true }) as const;
/** An input with an option of the command. */
export const by = <const Given extends Input>(flag: string, about: string, input: Given, preset?: string | number) => ({
  ...input,
  ...{ flag, about, preset },
});
