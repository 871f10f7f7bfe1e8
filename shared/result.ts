/** The code of a refusal: `area/what`. */
export type RefusalCode = `${string}/${string}`;

/** The result of a rule: its value or its refusal. A fault of the world is thrown instead. */
export type Result<Value, Refusal> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: Refusal };

export const ok = <Value>(value: Value): { readonly ok: true; readonly value: Value } => ({ ok: true, value });

export const refused = <Refusal>(error: Refusal): { readonly ok: false; readonly error: Refusal } => ({
  ok: false,
  error,
});
