import type { OpsRouteName } from '../../shared/ops/acts.ts';
import type { OpsAnswers } from '../../shared/ops/ops-answers.ts';
import type { OpsTimer } from '../../shared/ops/ops-timer.ts';
import type { Parts } from '../session/ask.ts';
import { eventText } from '../words/event-text.ts';
import { instant, signed } from '../words/formats.ts';
import { words } from '../words/words.ts';

export type Field =
  | { readonly type: 'items'; readonly name: string; readonly label: string }
  | { readonly type: 'shift'; readonly name: string; readonly label: string }
  | { readonly type: 'check'; readonly name: string; readonly label: string }
  | { readonly type: 'instant'; readonly name: string; readonly label: string }
  | { readonly type: 'lines'; readonly name: string; readonly label: string }
  | {
      readonly type: 'text';
      readonly name: string;
      readonly label: string;
      readonly isOptional?: boolean;
      /** As of the input element: what may be written. */
      readonly pattern?: string;
      readonly placeholder?: string;
    }
  | { readonly type: 'choice'; readonly name: string; readonly label: string; readonly of: readonly string[] }
  | {
      readonly type: 'number';
      readonly name: string;
      readonly label: string;
      readonly max: number;
      readonly preset?: number;
      readonly isOptional?: boolean;
    };

/** What was filled in, by the name of the field; a field without a name here was left empty. */
export type Values = Readonly<Record<string, unknown>>;

/** Something an operator may do, as the dialog for it needs it. */
export interface Act {
  readonly route: OpsRouteName;
  readonly parts: Parts;
  readonly words: { readonly title: string; readonly about: string; readonly go: string };
  /** To what, for people. */
  readonly on: string;
  readonly fields: readonly Field[];
  /** What the fields give, in the shape of the route's body. */
  readonly body?: (values: Values) => object;
  /** Drawn as what one should think about first. */
  readonly isDanger?: boolean;
  /** Nothing brings it back. */
  readonly isFinal?: boolean;
  /** Has to be typed before it goes on. */
  readonly mustType?: string;
  /** Of the audit's entry; without it, it is looked for among the newest. */
  readonly target?: string;
  /** What would happen, or did, in sentences. */
  readonly tell: (answer: unknown) => readonly string[];
  /** Where it leads afterwards. */
  readonly leadsTo?: (answer: unknown) => string | undefined;
}

type Answer<Name extends OpsRouteName> = OpsAnswers[Name] extends { readonly answer: infer Given } ? Given : never;

/** Ties what an act tells to what its route answers. */
export const actOn = <Name extends OpsRouteName>(
  act: Omit<Act, 'route' | 'tell' | 'leadsTo'> & {
    readonly route: Name;
    readonly tell: (answer: Answer<Name>) => readonly string[];
    readonly leadsTo?: (answer: Answer<Name>) => string | undefined;
  },
): Act => act as Act;

/** The events of a command, and where a due time goes. */
export const tellReplied =
  (nowMs: number, dueBeforeMs?: number) =>
  ({ events, dueAt }: OpsAnswers['grant']['answer']): readonly string[] => [
    ...(dueAt !== undefined && dueBeforeMs !== undefined ? [dueMove(dueBeforeMs, dueAt, nowMs)] : []),
    ...(events.length === 0 ? [words().tell.noEvents] : events.map((event) => eventText(event, nowMs))),
  ];

export const tellTimer =
  (nowMs: number, before: OpsTimer) =>
  (after: OpsTimer): readonly string[] => [
    words().tell.state({ state: words().timers.states[after.state] ?? after.state }),
    ...(after.state === 'scheduled' && after.dueAtMs !== before.dueAtMs
      ? [dueMove(before.dueAtMs, after.dueAtMs, nowMs)]
      : []),
  ];

const dueMove = (beforeMs: number, afterMs: number, nowMs: number): string =>
  words().tell.dueFrom({
    before: instant(beforeMs, nowMs),
    after: instant(afterMs, nowMs),
    effect: signed(afterMs - beforeMs),
  });
