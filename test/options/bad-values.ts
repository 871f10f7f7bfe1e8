/** Values that are wrong wherever this sort of value is wanted. */
export const bad = {
  wholes: [Number.NaN, Infinity, -Infinity, 1.5, '5', 5n, null, true, [], {}, () => 5],
  texts: [5, 5n, null, true, [], {}, '', 'a\0b', 'a\ud83d', '\udc4d', Symbol('text'), Object.create(null)],
  functions: [5, 'text', null, {}, [], true],
  objects: [5, 'text', null, true, undefined],
  lists: [5, 'text', null, {}, true],
  flags: [0, 1, 'true', null, {}],
} as const;

export const durations = [...bad.wholes, -1, new Date(0)];
export const instants = [...bad.wholes, new Date(0), 1e13, -1e13, 2 ** 42];
export const names = [...bad.texts, 'x'.repeat(513)];
/** Objects with methods. */
export const parts = [...bad.objects.slice(0, 4), {}, []];
