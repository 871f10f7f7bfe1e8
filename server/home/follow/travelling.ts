import { type Home, type Thing, thingsOf } from '../../../shared/home.ts';
import type { Commit } from '../model/commit.ts';

/** The commit as it goes to other processes: its home has the touched things alone. */
export const partOf = (commit: Commit): Commit => ({
  ...commit,
  home: { ...commit.home, things: withTouched({}, commit) },
});

/** The whole commit again, on the home as this process knows it. Undefined: that is not the home which it changed. */
export const wholeOf = (part: Commit, known: Home | undefined): Commit | undefined => {
  if (part.isErased) return part;
  if (!known) return undefined;
  if (part.home.seq <= known.seq) return { ...part, home: known };
  if (part.afterSeq !== known.seq) return undefined;
  return { ...part, home: { ...part.home, things: withTouched(known.things, part) } };
};

const withTouched = (things: Home['things'], { home, touched }: Commit): Home['things'] => {
  const all = { ...things };
  for (const [module, keys] of Map.groupBy(touched, (key) => key.module)) {
    const now = thingsOf(home, module);
    const own: Record<string, Thing> = Object.assign(Object.create(null), things[module]);
    for (const { id } of keys) {
      const thing = Object.hasOwn(now, id) ? now[id] : undefined;
      if (thing) own[id] = thing;
      else delete own[id];
    }
    if (Object.keys(own).length > 0) all[module] = own;
    else delete all[module];
  }
  return all;
};
