type Named = Readonly<Record<string, unknown>>;

const isNamed = (value: unknown): value is Named =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Each part of a file of rules is well-formed by itself, and together they cannot work. Reads what of it can be read. */
export const faultsBetween = (json: unknown): readonly string[] => {
  const file = isNamed(json) ? json : {};
  const activities = isNamed(file.activities) ? file.activities : {};
  return [
    ...Object.entries(activities).flatMap(([activity, own]) =>
      isNamed(own)
        ? [...unknownNames(file, own), ...unevenLists(own), ...autoFaults(own)].map(
            (fault) => `activities.${activity}.${fault}`,
          )
        : [],
    ),
    ...twoAutos(activities),
  ];
};

const unknownNames = (file: Named, { on, slot, needs }: Named): readonly string[] => {
  const named = Array.isArray(on) ? on : [];
  return [
    ...named.flatMap((thing, at) => unknownIn(file.things, thing, `on.${at}`, 'things')),
    ...named.filter((thing, at) => named.indexOf(thing) !== at).map((thing) => `on: ${thing} is listed twice`),
    ...(slot === undefined ? [] : unknownIn(file.slots ?? {}, slot, 'slot', 'slots')),
    ...Object.keys(isNamed(needs) ? needs : {}).flatMap((thing) =>
      unknownIn(file.things, thing, `needs.${thing}`, 'things'),
    ),
  ];
};

/** Nothing is said of a part that cannot be read itself. */
const unknownIn = (part: unknown, one: unknown, path: string, partName: string): readonly string[] =>
  !isNamed(part) || typeof one !== 'string' || Object.hasOwn(part, one)
    ? []
    : [`${path}: ${one} is none of ${partName} (${Object.keys(part).join(', ')})`];

const LISTS = ['workMs', 'takes', 'gives'] as const;

const listsOf = (activity: Named): readonly (readonly [string, readonly unknown[]])[] =>
  LISTS.flatMap((field) => {
    const list = activity[field];
    return Array.isArray(list) ? [[field, list] as const] : [];
  });

const unevenLists = (activity: Named): readonly string[] => {
  const [first, ...others] = listsOf(activity);
  return others
    .filter(([, list]) => list.length !== first?.[1].length)
    .map(([field, list]) => `${field}: has ${list.length} levels, and ${first?.[0]} has ${first?.[1].length}`);
};

const autoFaults = (activity: Named): readonly string[] => {
  if (activity.auto !== true) {
    return activity.below === undefined ? [] : ['below: says when what is auto starts: set auto, or leave it out'];
  }
  const gives = Array.isArray(activity.gives) ? activity.gives : [activity.gives];
  const isRising = gives.some((one) => isNamed(one) && 'level' in one);
  return [
    ...(activity.slot === undefined ? [] : ['slot: what is auto would keep it for ever: leave it out']),
    ...(isRising && listsOf(activity).length > 0
      ? ['auto: goes on as it was ordered, so lists and a level that rises do not go together']
      : []),
  ];
};

const twoAutos = (activities: Named): readonly string[] => {
  const first = new Map<unknown, string>();
  return Object.entries(activities).flatMap(([activity, own]) => {
    if (!isNamed(own) || own.auto !== true || !Array.isArray(own.on)) return [];
    return own.on.flatMap((thing) => {
      const other = first.get(thing);
      first.set(thing, other ?? activity);
      return other === undefined
        ? []
        : [`activities.${activity}.auto: ${thing} has ${other} already, one is all it can do`];
    });
  });
};
