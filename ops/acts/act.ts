import { type OpsAct, writeInput } from '../../shared/ops/act.ts';
import { type OpsRouteName, opsActs } from '../../shared/ops/acts.ts';
import type { Input } from '../../shared/ops/input.ts';
import type { OpsAnswers } from '../../shared/ops/ops-answers.ts';
import type { Parts } from '../session/ask.ts';
import { words } from '../words/words.ts';

/** One input field. */
export interface Field {
  readonly type: 'items' | 'shift' | 'flag' | 'whole' | 'text' | 'instant' | 'lines' | 'choice';
  readonly name: string;
  readonly label: string;
  readonly isOptional?: boolean;
  /** For a number. */
  readonly max?: number;
  readonly preset?: number;
  /** For a choice. */
  readonly of?: readonly string[];
  /** The allowed form, as in the input element. */
  readonly pattern?: string;
  readonly placeholder?: string;
}

/** The inputs by the name of the field; an empty field has no entry. */
export type Values = Readonly<Record<string, unknown>>;

type Answer<Name extends OpsRouteName> = OpsAnswers[Name] extends { readonly answer: infer Given } ? Given : never;

/** A page's facts for an act, besides the table of acts and the words. */
interface Place<Name extends OpsRouteName> {
  readonly parts: Parts;
  /** The target, for people. */
  readonly on: string;
  /** Inputs that the page knows. All others become fields. */
  readonly given?: Values;
  readonly presets?: Readonly<Record<string, number>>;
  /** Other fields instead of the inputs, and the body that they make. */
  readonly form?: { readonly fields: readonly Field[]; readonly body: (values: Values) => object };
  /** A text that the operator must type first. */
  readonly mustType?: string;
  /** The target of the audit's entry; without it the entry is searched among the newest. */
  readonly target?: string;
  /** The effect, in sentences. */
  readonly tell: (answer: Answer<Name>) => readonly string[];
  /** The page that follows. */
  readonly leadsTo?: (answer: Answer<Name>) => string | undefined;
  /** Called when the dialog of a done act is closed. */
  readonly onDone?: () => void;
}

/** An operator's act with all that its button and dialog need. */
export interface Act extends Omit<Place<OpsRouteName>, 'given' | 'presets' | 'form' | 'tell' | 'leadsTo'> {
  readonly route: OpsRouteName;
  readonly words: { readonly title: string; readonly about: string; readonly go: string };
  readonly fields: readonly Field[];
  readonly body: (values: Values) => object;
  /** Drawn as dangerous. */
  readonly isDanger: boolean;
  /** It cannot be undone. */
  readonly isFinal: boolean;
  readonly tell: (answer: unknown) => readonly string[];
  readonly leadsTo?: (answer: unknown) => string | undefined;
}

/** An act on a page: its dialog follows from the table of acts. */
export const actOn = <Name extends OpsRouteName & keyof ReturnType<typeof words>['acts']>(
  route: Name,
  { given = {}, presets = {}, form, ...place }: Place<Name>,
): Act => {
  const { input, risk }: OpsAct = opsActs[route];
  const open = Object.entries(input).filter(
    ([name]) => !Object.hasOwn(writeInput, name) && !Object.hasOwn(given, name),
  );
  return {
    ...(place as Pick<Act, 'parts' | 'on' | 'tell'>),
    route,
    words: words().acts[route],
    fields: form?.fields ?? open.map(([name, one]) => fieldOf(name, one, presets[name])),
    body: form?.body ?? ((values) => ({ ...values, ...given })),
    isDanger: risk !== undefined,
    isFinal: risk === 'final' || risk === 'confirmed',
  };
};

const fieldOf = (name: string, input: Input, preset: number | undefined): Field => {
  const label = (words().fields as Readonly<Record<string, string>>)[name] ?? name;
  switch (input.type) {
    case 'items':
    case 'shift':
    case 'flag':
      return { type: input.type, name, label };
    case 'whole':
      // Required, although the server has a default.
      return { type: 'whole', name, label, ...('to' in input && { max: input.to }), ...(preset && { preset }) };
    default:
      return { type: 'text', name, label };
  }
};

/** Separators alone are an empty list, which the server refuses: without a list a job reaches all players. */
export const linesOf = (text: string): readonly string[] | undefined =>
  text === '' ? undefined : text.split(/[\s,]+/).filter(Boolean);
