type Text<Facts> = (facts: Facts) => string;
const text = <Facts>(tell: Text<Facts>): Text<Facts> => tell;
type Names = Readonly<Record<string, string>>;

/** Names in the example town; other names are shown as they are. */
const things: Names = { hall: 'Hall', plot: 'Plot', chest: 'Chest' };
const slots: Names = { builders: 'Builders' };
/** On a button. */
const activities: Names = { upgrade: 'Upgrade', enlarge: 'Enlarge', wheat: 'Sow wheat', open: 'Open' };
/** While it runs. */
const doing: Names = {
  upgrade: 'Being upgraded',
  enlarge: 'Being enlarged',
  wheat: 'Wheat grows',
  open: 'Being opened',
};

export const townItemsEn: Names = { wood: 'Wood', gold: 'Gold', seed: 'Seed', wheat: 'Wheat', gem: 'Gem' };

export const townRefusalsEn: Readonly<Record<`${string}/${string}`, Text<Readonly<Record<string, unknown>>>>> = {
  'thing/unknown': () => 'That is no longer here.',
  'thing/too-long': () => 'That would never end.',
  'activity/unknown': () => 'That can’t be done here.',
  'activity/not-here': () => 'That cannot be done here.',
  'works/limit': ({ limit }) => `There is room for ${limit} of them at most.`,
  'works/busy': () => 'It is busy already.',
  'works/uncollected': () => 'Collect first what is ready.',
  'works/needs': () => 'Something else has to grow first.',
  'works/needs-item': ({ have, need }) => `Something is missing that is not taken: ${have} of ${need}.`,
  'works/highest': () => 'It cannot get any better.',
  'works/at-most': ({ opensAt }) => (opensAt === undefined ? 'That can be done no more.' : 'Not again so soon.'),
  'works/closed': ({ opensAt }) =>
    opensAt === undefined ? 'It is over, and does not come again.' : 'It is closed just now. Come back later.',
  'works/queue-full': ({ max }) => `Everybody is busy, and the queue is full: ${max} at most.`,
  'works/idle': () => 'There is nothing to take.',
  'works/not-running': () => 'Nothing runs there now.',
  'works/already-done': () => 'It was done already. Nothing was taken.',
  'works/repeats-full': () => 'It cannot be repeated that often.',
  'works/changed': () => 'The queue has changed meanwhile.',
  'card/not-here': () => 'This card does nothing here.',
  'card/would-cost': ({ count }) => `It would cost ${count} by now.`,
};

export const townEn = {
  places: 'Places',
  pets: 'Pets',
  title: 'Workshop',
  stock: 'What you have',
  things,
  slots,
  activities,
  doing,
  numbered: text<{ name: string; number: number }>(({ name, number }) => `${name} ${number}`),
  busy: text<{ busy: number; all: number }>(({ busy, all }) => `${busy} of ${all} busy`),
  queue: text<{ number: number }>(({ number }) => `number ${number} in the queue`),
  waits: 'Waiting',
  rests: 'Ready for work',
  finishing: 'Almost done …',
  holds: text<{ items: string }>(({ items }) => `Ready: ${items}`),
  doneAt: text<{ at: string }>(({ at }) => `Done at ${at}`),
  left: text<{ name: string; left: string }>(({ name, left }) => `${name}: ${left} left`),
  boost: text<{ rate: number; left: string }>(({ rate, left }) => `${rate}× speed for ${left}`),
  collect: 'Collect',
  takeBack: 'Take back',
  earlier: 'Earlier',
  later: 'Later',
  cancel: {
    open: 'Cancel',
    title: text<{ name: string }>(({ name }) => `${name}: cancel the work?`),
    back: text<{ items: string }>(({ items }) => `Back with you: ${items}. The rest is lost.`),
    nothing: 'Nothing comes back.',
    keep: 'Keep going',
    submit: 'Cancel the work',
  },
  away: {
    done: text<{ name: string; activity: string; times: number }>(
      ({ name, activity, times }) => `${name}: ${activity}, done${times > 1 ? ` ${times} times` : ''}`,
    ),
    brought: text<{ items: string }>(({ items }) => `It brought ${items}`),
  },
  build: text<{ name: string }>(({ name }) => `Build: ${name}`),
  free: 'free',
  highest: 'As good as it gets',
  actions: text<{ name: string }>(({ name }) => `What to do with: ${name}`),
  opens: text<{ left: string }>(({ left }) => `Opens in ${left}`),
  over: 'It is over.',
  needs: text<{ name: string; level: number }>(({ name, level }) => `Needs ${name} at level ${level}.`),
  lacks: text<{ item: string; have: number; need: number }>(
    ({ item, have, need }) => `Not enough ${item}: ${have} of ${need}.`,
  ),
  pending: 'One moment: the last one is still on its way.',
  card: {
    noneLeft: text<{ card: string }>(({ card }) => `You have no ${card} left.`),
    price: text<{ price: string; have: number }>(({ price, have }) => `Costs ${price}; you have ${have}.`),
    pay: text<{ price: string }>(({ price }) => `Finish for ${price}`),
    rate: text<{ rate: number; at: string }>(({ rate, at }) => `Works ${rate}× as fast until ${at}.`),
    wasted: text<{ wasted: string }>(({ wasted }) => `${wasted} of it would be wasted: there is not that much left.`),
    endsHint: 'It is done right away.',
    over: 'It is done already. Your card is still yours.',
    asking: 'Asking …',
  },
  news: {
    placed: text<{ name: string }>(({ name }) => `Built: ${name}`),
    ordered: text<{ name: string; activity: string }>(({ name, activity }) => `${name}: ${activity}`),
    started: text<{ name: string; activity: string; at: string }>(
      ({ name, activity, at }) => `${name}: ${activity}, done at ${at}`,
    ),
    carded: text<{ name: string; at: string }>(({ name, at }) => `${name}: done at ${at}`),
    finished: text<{ name: string; activity: string }>(({ name, activity }) => `${name}: ${activity} is done`),
    level: text<{ name: string; level: number }>(({ name, level }) => `${name} is now level ${level}!`),
    collected: text<{ items: string }>(({ items }) => `Collected: ${items}`),
    back: text<{ items: string }>(({ items }) => `Back with you: ${items}`),
    opened: text<{ items: string }>(({ items }) => `There is a workshop now. To begin with: ${items}`),
  },
};

/** The page's texts about the town. */
export type TownWords = typeof townEn;
