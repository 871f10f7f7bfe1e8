/** Levels that some thing of that name has to have, and amounts in stock; nothing of it is taken. */
export interface Needs {
  readonly items?: Readonly<Record<string, number>> | undefined;
  readonly [thing: string]: number | Needs['items'];
}

/** The names of things that needs have, with their levels. */
export const levelsOf = (needs: Needs): readonly (readonly [thing: string, level: number])[] =>
  Object.entries(needs).flatMap(([thing, level]) => (typeof level === 'number' ? [[thing, level] as const] : []));

type OfLevel<Value> = Value extends readonly (infer Entry)[] ? Entry : Value;

/** The value at a level, as files of rules have it: one for every level, or a list. Undefined: the list ends before it. */
export const atLevel = <Value>(value: Value, level: number): OfLevel<Value> | undefined =>
  Array.isArray(value) ? value[level] : (value as OfLevel<Value>);
