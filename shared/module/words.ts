/**
 * What operators read of a module's things and events in one language. Each text is a template over the fields of the
 * event (or of the thing): `{card}` is a field, `{boost.rate}` one inside another, `[by?, by {by}]` is left out where
 * the field is missing, empty or 0, `[by=card? again]` where it is something else. Names that end in `Ms` are shown as
 * spans, in `At` and `AtMs` as instants. An event without a text is shown with its name and its fields.
 */
export interface Words<Type extends string = string> {
  readonly thing?: string;
  readonly events?: Readonly<Partial<Record<Type, string>>>;
  /** Why it refuses an operator, by code. No templates. */
  readonly refusals?: Readonly<Record<string, string>>;
}

/** By language: `en`, `zh`. Without the reader's language the English ones are shown. */
export type WordsByLanguage<Type extends string = string> = Readonly<Record<string, Words<Type>>>;
