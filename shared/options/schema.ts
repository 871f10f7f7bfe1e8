// The base of schemas; `shapes.ts` has the schemas.

import { MOST_FAULTS, type OptionFaultCode } from './options-refused.ts';
import { shown } from './shown.ts';

/** The fault of a value. `what` is left out if the value says it: `is 1.5`. */
export interface ValueFault {
  readonly what?: string;
  readonly remedy: string;
  readonly code?: OptionFaultCode | undefined;
}

/** A fault inside an object or list, at the place `at`. */
export interface FaultAt extends ValueFault {
  readonly at: readonly PropertyKey[];
}

/** A fault with its text. Lists and objects put their own place before `at`. */
export interface Found extends FaultAt {
  readonly at: PropertyKey[];
  readonly what: string;
}

/** Reads a value of the type `T`. */
export interface Schema<T> {
  /** Returns the value, as a copy if it is a list or an object with known fields. Adds all faults. */
  readonly read: (given: unknown, faults: Found[]) => T;
  /** The same schema, but undefined is valid too. */
  optional(): Schema<T | undefined>;
}

/** Makes a schema. `parts` are the schemas inside. */
export const reading = <T, Parts extends object = object>(
  read: Schema<T>['read'],
  parts?: Parts,
): Schema<T> & Parts => ({
  ...(parts as Parts),
  read,
  optional: () => reading((given, faults) => (given === undefined ? undefined : read(given, faults)), parts),
});

/** A value that stays the same one. `find` returns its faults. */
export const judged = <T>(find: (given: unknown) => readonly FaultAt[]): Schema<T> =>
  reading((given, faults) => {
    for (const fault of find(given)) add(faults, fault, given);
    return given as T;
  });

/** Adds a fault of `given`. One more than the most says that there may be others. */
export const add = (faults: Found[], { at, what, remedy, code }: FaultAt, given: unknown): void => {
  if (faults.length > MOST_FAULTS) return;
  faults.push({ at: [...at], what: what ?? `is ${shown(valueAt(given, at))}`, remedy, code });
};

const valueAt = (given: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((value, part) => (value as Readonly<Record<PropertyKey, unknown>>)[part], given);

/** Says of faults from `first` on in which part they are. */
export const placeFaults = (faults: readonly Found[], first: number, part: PropertyKey): void => {
  for (let at = first; at < faults.length; at += 1) faults[at]?.at.unshift(part);
};
