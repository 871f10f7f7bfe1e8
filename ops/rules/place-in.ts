/** Texts, punctuation marks, and all other tokens. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

export interface PlaceIn {
  readonly start: number;
  readonly end: number;
}

/** The place of a path's value in a JSON text, or of its nearest existing parent; undefined: only the whole text. */
export const placeIn = (text: string, path: string): PlaceIn | undefined => {
  const places = placesOf(text);
  for (let wanted = path; wanted !== ''; wanted = wanted.slice(0, Math.max(0, wanted.lastIndexOf('.')))) {
    const found = places.get(wanted);
    if (found) return found;
  }
  return undefined;
};

/** The place of each value, by its path. The text must be valid JSON. */
const placesOf = (text: string): ReadonlyMap<string, PlaceIn> => {
  const tokens = [...text.matchAll(TOKEN)].map(([token], at, all) => ({ token, start: all[at]?.index ?? 0 }));
  const places = new Map<string, PlaceIn>();
  let next = 0;
  const read = (path: string): void => {
    const { token, start } = tokens[next] ?? { token: '', start: 0 };
    next += 1;
    if (token === '{' || token === '[') readParts(path, token === '[');
    const last = tokens[next - 1];
    places.set(path, { start, end: last ? last.start + last.token.length : text.length });
  };
  const readParts = (path: string, isList: boolean): void => {
    for (let count = 0; next < tokens.length; count += 1) {
      if (tokens[next]?.token === ',') next += 1;
      const token = tokens[next]?.token ?? '}';
      if (token === '}' || token === ']') break;
      // Skips the name and the colon behind it.
      if (!isList) next += 2;
      const name = isList ? String(count) : String(JSON.parse(token));
      read(path === '' ? name : `${path}.${name}`);
    }
    next += 1;
  };
  read('');
  return places;
};
