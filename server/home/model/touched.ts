import { type Home, thingsOf } from '../../../shared/home.ts';

export interface ThingKey {
  readonly module: string;
  readonly id: string;
}

/**
 * Things that came, changed or went. States are never changed in place, so another object is another state. It costs what
 * the touched modules have.
 */
export const touchedThings = (before: Home, after: Home): readonly ThingKey[] => {
  const modules = new Set([...Object.keys(before.things), ...Object.keys(after.things)]);
  return [...modules].flatMap((module) => {
    const earlier = thingsOf(before, module);
    const later = thingsOf(after, module);
    if (earlier === later) return [];
    const saved = Object.keys(later).filter((id) => earlier[id] !== later[id]);
    const gone = Object.keys(earlier).filter((id) => later[id] === undefined);
    return [...saved, ...gone].map((id) => ({ module, id }));
  });
};
