import { isNamed, knownIn, listIn, type Named, type readableEntries } from './known-names.ts';

type Entries = ReturnType<typeof readableEntries>;

/** An activity that nothing stops, even while its player is away. */
export const isEndless = ({ below, takes, collect, consumes }: Named): boolean => {
  const isSome = (part: unknown): boolean =>
    Array.isArray(part) ? part.every(isSome) : isNamed(part) && Object.values(part).some((count) => count !== 0);
  return !isSome(below) && !isSome(takes) && collect !== true && consumes !== true;
};

/** Items of `below` that the file names nowhere else: such a stock never rises, so the activity would never stop. */
export const unknownBelow = (file: Named, activities: Entries): readonly string[] => {
  const asked = activities.flatMap(([activity, { auto, below }]) =>
    auto === true && isNamed(below) ? Object.keys(below).map((item) => ({ activity, item })) : [],
  );
  if (asked.length === 0) return [];
  const known = knownIn(itemsIn(file, activities), 'the items in starter, takes, gives, needs, slots and cards');
  return asked.flatMap(({ activity, item }) => known(item, `activities.${activity}.below.${item}`));
};

const itemsIn = ({ starter, things, slots, cards }: Named, activities: Entries): Named => {
  const bags = [
    isNamed(starter) ? starter.items : undefined,
    cards,
    ...valuesOf(things).flatMap(({ takes }) => takes),
    ...activities.flatMap(([, { takes, gives, oneOf, needs }]) => [
      ...[takes, gives].flat(),
      ...(isNamed(oneOf) ? (listIn(oneOf.of) ?? []).map((one) => (isNamed(one) ? one.gives : undefined)) : []),
      ...[needs].flat().map((one) => (isNamed(one) ? one.items : undefined)),
    ]),
  ];
  const names = bags.filter(isNamed).flatMap((bag) => Object.keys(bag));
  const ofSlots = valuesOf(slots).flatMap(({ item }) => (typeof item === 'string' ? item : []));
  return Object.fromEntries([...names, ...ofSlots].map((name) => [name, true]));
};

const valuesOf = (part: unknown): readonly Named[] => Object.values(isNamed(part) ? part : {}).filter(isNamed);
