// Which callbacks a public type has, by the types themselves: a table that `satisfies` a record of them has a row for each,
// or does not compile.

type Fun = (...args: never[]) => unknown;

/** The fields of an object of the game's that are called. */
export type CallbacksOf<T> = {
  [Key in keyof T & string]-?: [Extract<NonNullable<T[Key]>, Fun>] extends [never] ? never : Key;
}[keyof T & string];

/** The methods of an object of ours that take something to call. */
export type TakersOf<T> = {
  [Key in keyof T & string]-?: T[Key] extends (...args: infer Args) => unknown
    ? [Extract<Args[number], Fun>] extends [never]
      ? never
      : Key
    : never;
}[keyof T & string];
