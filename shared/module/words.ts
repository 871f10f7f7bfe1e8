/**
 * A module's words in one language, for operators. Each text is a template over the fields of the event (or thing):
 * `{card}` is a field, `{boost.rate}` a nested one, `[by?, by {by}]` is left out if the field is missing, empty or 0,
 * `[by=card? again]` if it has another value. Fields that end in `Ms` are shown as spans, in `At` and `AtMs` as
 * instants. An event without a text is shown with its name and its fields.
 */
export interface Words<Type extends string = string> {
  readonly thing?: string;
  readonly events?: Readonly<Partial<Record<Type, string>>>;
  /** Refusals of operators' acts, by code. No templates. */
  readonly refusals?: Readonly<Record<string, string>>;
}

/** By language: `en`, `zh`. If the reader's language is missing, English is shown. */
export type WordsByLanguage<Type extends string = string> = Readonly<Record<string, Words<Type>>>;
