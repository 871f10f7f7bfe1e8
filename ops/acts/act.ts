import { type OpsAct, written } from '../../shared/ops/act.ts';
import { type OpsRouteName, opsActs } from '../../shared/ops/acts.ts';
import type { Input } from '../../shared/ops/input.ts';
import type { OpsAnswers } from '../../shared/ops/ops-answers.ts';
import type { Parts } from '../session/ask.ts';
import { words } from '../words/words.ts';

/** One thing to fill in. */
export interface Field {
  readonly type: 'items' | 'shift' | 'flag' | 'whole' | 'text' | 'instant' | 'lines' | 'choice';
  readonly name: string;
  readonly label: string;
  readonly isOptional?: boolean;
  /** Of a number. */
  readonly max?: number;
  readonly preset?: number;
  /** Of a choice. */
  readonly of?: readonly string[];
  /** As of the input element: what may be written. */
  readonly pattern?: string;
  readonly placeholder?: string;
}

/** What was filled in, by the name of the field; a field without a name here was left empty. */
export type Values = Readonly<Record<string, unknown>>;

type Answer<Name extends OpsRouteName> = OpsAnswers[Name] extends { readonly answer: infer Given } ? Given : never;

/** What a page knows of an act beside the table of acts and the words. */
interface Place<Name extends OpsRouteName> {
  readonly parts: Parts;
  /** To what, for people. */
  readonly on: string;
  /** Inputs that the page knows. The others are fields. */
  readonly given?: Values;
  readonly presets?: Readonly<Record<string, number>>;
  /** Where the inputs are filled in by other fields: these, and what they give. */
  readonly form?: { readonly fields: readonly Field[]; readonly body: (values: Values) => object };
  /** Has to be typed before it goes on. */
  readonly mustType?: string;
  /** Of the audit's entry; without it, it is looked for among the newest. */
  readonly target?: string;
  /** What would happen, or did, in sentences. */
  readonly tell: (answer: Answer<Name>) => readonly string[];
  /** Where it leads afterwards. */
  readonly leadsTo?: (answer: Answer<Name>) => string | undefined;
}

/** Something an operator may do, as its button and its dialog need it. */
export interface Act extends Omit<Place<OpsRouteName>, 'given' | 'presets' | 'form' | 'tell' | 'leadsTo'> {
  readonly route: OpsRouteName;
  readonly words: { readonly title: string; readonly about: string; readonly go: string };
  readonly fields: readonly Field[];
  readonly body: (values: Values) => object;
  /** Drawn as what one should think about first. */
  readonly isDanger: boolean;
  /** Nothing brings it back. */
  readonly isFinal: boolean;
  readonly tell: (answer: unknown) => readonly string[];
  readonly leadsTo?: (answer: unknown) => string | undefined;
}

/** An act at its place: its dialog follows from the table of acts. */
export const actOn = <Name extends OpsRouteName & keyof ReturnType<typeof words>['acts']>(
  route: Name,
  { given = {}, presets = {}, form, ...place }: Place<Name>,
): Act => {
  const { input, risk }: OpsAct = opsActs[route];
  const open = Object.entries(input).filter(([name]) => !Object.hasOwn(written, name) && !Object.hasOwn(given, name));
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
      // As before, a number that the server could do without has to be there.
      return { type: 'whole', name, label, ...('to' in input && { max: input.to }), ...(preset && { preset }) };
    default:
      return { type: 'text', name, label };
  }
};
