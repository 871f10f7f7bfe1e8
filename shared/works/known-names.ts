import { nearestOf } from '../options/shown.ts';
import { MOST_ENTRIES } from '../rule-shapes.ts';

export type Named = Readonly<Record<string, unknown>>;

export const isNamed = (value: unknown): value is Named =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The schema refuses longer names: no further fault repeats one. */
const LONGEST_NAME = 32;

/** The readable entries of a part of a file. */
export const readableEntries = (part: unknown): readonly (readonly [name: string, own: Named])[] =>
  namesOf(part).flatMap((name) => {
    const own = (part as Named)[name];
    return name.length <= LONGEST_NAME && isNamed(own) ? [[name, own] as const] : [];
  });

const namesOf = (part: unknown): readonly string[] => {
  const names = Object.keys(isNamed(part) ? part : {});
  return names.length <= MOST_ENTRIES ? names : [];
};

/** A readable list; undefined if it is none. */
export const listIn = (part: unknown): readonly unknown[] | undefined =>
  Array.isArray(part) && part.length <= MOST_ENTRIES ? part : undefined;

/** A fault lists no more known names. */
const MOST_LISTED = 5;
/** The search for the nearest name compares letters, so in a long part only the first faults get one. */
const MOST_COMPARED = 2000;

/** Returns the fault of a name at a path, if the part lacks it. */
export type Known = (name: unknown, path: string) => readonly string[];

/** The names of a part of a file. Reports nothing about an unreadable part. */
export const knownIn = (part: unknown, partName: string): Known => {
  if (!isNamed(part)) return () => [];
  const known = namesOf(part);
  let compared = 0;
  const hintOn = (name: string): string => {
    if (known.length <= MOST_LISTED) return ` (${known.join(', ')})`;
    compared += known.length;
    const nearest = compared > MOST_COMPARED ? undefined : nearestOf(name, known);
    return nearest === undefined ? '' : ` (did you mean ${nearest}?)`;
  };
  return (name, path) =>
    typeof name !== 'string' || name.length > LONGEST_NAME || Object.hasOwn(part, name)
      ? []
      : [`${path}: ${name} is none of ${partName}${hintOn(name)}`];
};
