import type { RejectionCode } from '../../../shared/protocol.ts';
import { townEn, townItemsEn, townRefusalsEn } from './town-en.ts';

type Text<Facts> = (facts: Facts) => string;
const text = <Facts>(tell: Text<Facts>): Text<Facts> => tell;
type Names = Readonly<Record<string, string>>;

const rules = new Intl.PluralRules('en');

const plural = (count: number, one: string, other: string): string =>
  `${count} ${rules.select(count) === 'one' ? one : other}`;

/** The texts of refusals, by the protocol's code. */
const refusals: Readonly<Record<RejectionCode, Text<Readonly<Record<string, unknown>>>>> = {
  'command/invalid': () => 'That did not come across well. Reload the page and try again.',
  'command/reused': () => 'That was sent twice with different content. Try again.',
  'pet/unknown': () => 'This pet has left.',
  'pet/limit': ({ limit }) => `Your home is full: ${limit} pets at most.`,
  'pet/eating': () => 'It is eating already.',
  'pet/not-eating': () => 'It is not eating.',
  'pet/auto-feeds-full': ({ max }) => `That is more auto-feeds than fit: ${max} at most.`,
  'species/unknown': () => 'This species does not live here.',
  'name/refused': ({ why, max }) =>
    why === 'too-long' ? `That name is too long: ${max} characters at most.` : 'Please choose another name.',
  'feeding/already-done': () => 'The meal was over already. Your card is still yours.',
  'feeding/too-long': () => 'That meal would never end.',
  'card/would-waste': () => 'Too much of the card would be wasted by now. You still have it.',
  'card/partly-used': ({ autoFeeds }) =>
    `Part of this card is used, so it cannot go back. It is still good for ${autoFeeds} more.`,
  'boost/other-rate': () => 'Another boost is running. Wait until it is over.',
  'boost/too-long': () => 'The boost would last too long. You still have your cards.',
  'item/unknown': () => 'Nobody here knows that item.',
  'item/out-of-stock': () => 'You have none left.',
  'item/too-many': () => 'You have more than can be counted.',
  'inventory/refused': () => 'The game could not book that. Nothing was taken from you.',
  'sync/ahead': () => 'This page knew more than the server. It shows the server’s state now.',
  'player/not-frozen': () => 'This home is open.',
  'player/frozen': () => 'This home is closed for the moment. Ask the operator.',
  'rate/limited': () => 'That was too quick. Try again in a moment.',
  'server/unavailable': () => 'The server cannot do that just now. Try again in a moment.',
};

/** Names in the default rules; other names are shown as they are. */
const species: Names = { dog: 'Dog', cat: 'Cat', rabbit: 'Rabbit' };

const items: Names = {
  'dog-food': 'Kibble',
  snack: 'Snack',
  'speed-up': 'Speed\u2011up',
  boost: 'Boost',
  'auto-feed': 'Auto\u2011feed',
  ...townItemsEn,
};

export const en = {
  lang: 'en',
  /** The language's name in itself. */
  ownName: 'English',
  title: 'Kibble',
  tagline: 'Feed them well. Time does the rest.',
  language: 'Language',
  opening: 'Opening your home …',
  close: 'Close',
  cancel: 'Cancel',
  fast: 'Seconds mode',
  fastHint: text<{ meal: string }>(({ meal }) => `Rules for trying out: a meal takes ${meal} here.`),

  connection: {
    lost: 'Connection lost. Coming back …',
    lostHint: 'Your pets go on eating; nothing is lost.',
    retry: 'Try now',
    refused: 'This server does not know you',
    refusedHint:
      'It refused the sign-in that this browser kept. It may be another server than last time, or it was set up anew.',
    tryAgain: 'Try again',
    beginAnew: 'Begin with a new home',
  },

  adopt: {
    welcome: 'Who moves in with you?',
    welcomeHint: 'Choose your first pet. Food and cards are waiting already.',
    another: 'Adopt another pet',
    title: 'Adopt a pet',
    species: 'Species',
    name: 'Name',
    surprise: 'Suggest a name',
    submit: 'Adopt',
    names: [
      'Biscuit',
      'Momo',
      'Pepper',
      'Luna',
      'Otis',
      'Clover',
      'Hazel',
      'Rex',
      'Mochi',
      'Juniper',
      'Pickle',
      'Waffle',
    ],
  },

  pet: {
    choose: text<{ name: string }>(({ name }) => `Choose ${name}`),
    chosen: 'chosen',
    level: text<{ level: number }>(({ level }) => `Level ${level}`),
    xp: text<{ have: string; next: string }>(({ have, next }) => `${have} of ${next} XP`),
    xpMax: text<{ have: string }>(({ have }) => `${have} XP`),
    idle: 'Hungry',
    eating: text<{ food: string }>(({ food }) => `Eating ${food}`),
    finishing: 'Finishing …',
    waiting: text<{ food: string }>(({ food }) => `Waiting for ${food}`),
    happy: 'All eaten up!',
    doneAt: text<{ at: string }>(({ at }) => `Done at ${at}`),
    left: text<{ name: string; left: string }>(({ name, left }) => `${name}: ${left} left`),
    boost: text<{ rate: number; left: string }>(({ rate, left }) => `${rate}× speed for ${left}`),
    armed: text<{ count: number }>(({ count }) => `Auto-feed × ${count}`),
    disarm: text<{ name: string }>(({ name }) => `Take an auto-feed card back from ${name}`),
    undo: text<{ seconds: string }>(({ seconds }) => `Undo (${seconds})`),
    stop: 'Stop',
    feed: text<{ food: string }>(({ food }) => `Feed ${food}`),
    release: text<{ name: string }>(({ name }) => `Give away ${name}`),
    /** The same, on a small button; part of the long one. */
    goodbye: 'Give away',
    pending: 'On its way …',
    pendingOffline: 'Waiting for the connection …',
    actions: text<{ name: string }>(({ name }) => `What to do with ${name}`),
  },

  tray: {
    title: text<{ name: string }>(({ name }) => `For ${name}`),
    nobody: 'Food and cards',
    foods: 'Food',
    cards: 'Cards',
    has: text<{ count: number }>(({ count }) => `${count} left`),
    xp: text<{ xp: number }>(({ xp }) => `+${xp} XP`),
    cut: text<{ by: string }>(({ by }) => `−${by}`),
    rate: text<{ rate: number; lasts: string }>(({ rate, lasts }) => `${rate}× for ${lasts}`),
    repeat: text<{ times: number }>(({ times }) => `+${plural(times, 'meal', 'meals')}`),
    whyNot: {
      none: 'You have none left.',
      eating: text<{ name: string }>(({ name }) => `${name} is eating already.`),
      notEating: text<{ name: string }>(({ name }) => `${name} is not eating: feed first, then play cards.`),
      pending: 'One moment: the last one is still on its way.',
    },
  },

  card: {
    title: text<{ card: string; name: string }>(({ card, name }) => `${card} for ${name}`),
    before: 'As it is',
    after: 'With the card',
    sooner: text<{ by: string }>(({ by }) => `${by} sooner.`),
    boostUntil: text<{ rate: number; at: string }>(
      ({ rate, at }) => `Eats ${rate}× as fast until ${at}, also into the next meal.`,
    ),
    ends: 'At once',
    endsHint: 'The meal ends right away.',
    chain: text<{ count: number; food: string }>(
      ({ count, food }) => `After this meal ${plural(count, 'more meal', 'more meals')} of ${food} by itself.`,
    ),
    chainEnd: 'All done',
    chainFood: text<{ need: number; have: number; food: string }>(
      ({ need, have, food }) =>
        `You have ${have} ${food} for ${need}. What is missing is waited for, and the card stays armed.`,
    ),
    wasted: text<{ wasted: string }>(
      ({ wasted }) => `${wasted} of it would be wasted: there is not that much left to eat.`,
    ),
    count: 'How many',
    fewer: 'One fewer',
    more: 'One more',
    use: text<{ count: number }>(({ count }) => (count === 1 ? 'Use the card' : `Use ${count} cards`)),
    useAnyway: 'Use it anyway',
    over: 'This meal is over. Your card is still yours.',
  },

  stop: {
    title: text<{ name: string }>(({ name }) => `Stop ${name}’s meal?`),
    foodGone: text<{ food: string }>(({ food }) => `The ${food} is gone, and there is no XP for it.`),
    back: text<{ items: string }>(({ items }) => `You get back: ${items}.`),
    submit: 'Stop the meal',
    keep: 'Go on eating',
  },

  release: {
    title: text<{ name: string }>(({ name }) => `Give ${name} away?`),
    hint: 'This cannot be undone. Armed cards come back to you.',
    submit: 'Give away',
    keep: 'Keep',
  },

  away: {
    title: 'While you were away',
    hint: text<{ since: string }>(({ since }) => `The last of it at ${since}.`),
    meals: text<{ name: string; meals: number; xp: number }>(
      ({ name, meals, xp }) => `${name} finished ${plural(meals, 'meal', 'meals')} (+${xp} XP)`,
    ),
    autoFed: text<{ times: number }>(({ times }) => `${plural(times, 'was', 'were')} served by auto-feed`),
    level: text<{ name: string; level: number }>(({ name, level }) => `${name} reached level ${level}`),
    waiting: text<{ name: string; food: string }>(({ name, food }) => `${name} is waiting for ${food}`),
    gone: text<{ name: string }>(({ name }) => `${name} has left`),
    gifts: text<{ items: string }>(({ items }) => `You were given ${items}`),
    losses: text<{ items: string }>(({ items }) => `Taken away: ${items}`),
    somebody: 'A pet',
    submit: 'Good to know',
  },

  /** Texts of toasts, also read aloud. */
  news: {
    adopted: text<{ name: string }>(({ name }) => `${name} has moved in`),
    starter: text<{ items: string }>(({ items }) => `To begin with: ${items}`),
    started: text<{ name: string; food: string; at: string }>(
      ({ name, food, at }) => `${name} is eating ${food}, done at ${at}`,
    ),
    autoStarted: text<{ name: string; food: string; at: string }>(
      ({ name, food, at }) => `Auto-feed: ${name} is eating ${food} again, done at ${at}`,
    ),
    cut: text<{ name: string; at: string }>(({ name, at }) => `${name} will be done at ${at}`),
    cutDone: text<{ name: string }>(({ name }) => `${name} eats up at once`),
    boosted: text<{ name: string; at: string }>(({ name, at }) => `${name} eats faster, done at ${at}`),
    armed: text<{ name: string; count: number }>(({ name, count }) => `${name} will be fed again by itself (${count})`),
    completed: text<{ name: string; xp: number }>(({ name, xp }) => `${name} has finished: +${xp} XP`),
    level: text<{ name: string; level: number }>(({ name, level }) => `${name} is now level ${level}!`),
    stopped: text<{ name: string }>(({ name }) => `${name} has stopped eating`),
    back: text<{ items: string }>(({ items }) => `Back with you: ${items}`),
    blocked: text<{ name: string; food: string }>(({ name, food }) => `${name} is waiting for ${food}`),
    disarmed: text<{ items: string }>(({ items }) => `Back with you: ${items}`),
    granted: text<{ items: string }>(({ items }) => `You were given ${items}`),
    taken: text<{ items: string }>(({ items }) => `Taken away: ${items}`),
    released: text<{ name: string }>(({ name }) => `Goodbye, ${name}`),
    shifted: text<{ name: string; at: string }>(({ name, at }) => `${name} will now be done at ${at}`),
    frozen: text<Record<never, never>>(() => 'This home was closed for the moment'),
    unfrozen: text<Record<never, never>>(() => 'This home is open again'),
    merged: text<Record<never, never>>(() => 'Everything moved to another account'),
    received: text<Record<never, never>>(() => 'Another home moved in here'),
    oneMinute: text<{ name: string }>(({ name }) => `${name}: one minute left`),
    newLog: 'The server was put back to an earlier day. This is how things are there.',
    newHome: 'A new home was opened for you.',
    unanswered: 'Nobody answers. Try again in a moment.',
  },

  town: townEn,
  refusals: { ...refusals, ...townRefusalsEn },
  species,
  items,
};

/** All texts of the page. A language that lacks one does not compile. */
export type PageWords = typeof en;
