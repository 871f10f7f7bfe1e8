import { isBeyondTheClock, LATEST_MS } from '../latest-ms.ts';
import { defineModule, type HappenedOf, type Module } from '../module/module.ts';
import { dueAtMs, workUntil } from '../work.ts';
import { type WorksCommands, type WorksEvents, worksCommands, worksEvents } from './contract.ts';
import { cancel, collect, ofThing, place, remove, reorder, start } from './decide.ts';
import { evolveThing } from './evolve-thing.ts';
import { faultsBetween } from './faults-between.ts';
import { renew } from './order.ts';
import { playCard } from './play-card.ts';
import { type WorksCatalogue, type WorksRules, worksRules } from './rules-file.ts';
import { complete, goOn } from './start.ts';
import { initialThing, runningOf, type WorksThing, waitingOf, worksThing } from './thing.ts';
import { opensAtMs, type Timed } from './window.ts';
import { worksWords } from './words.ts';

/** Things that follow a file of rules. */
export type Works<Name extends string = string> = Module<
  Name,
  WorksThing,
  WorksEvents,
  WorksCommands,
  typeof worksRules
>;

/** For merged homes; the rules' own limits are lower. */
const MOST_THINGS = 10_000;

/** Makes a module from a config. Throws `RulesRefused` with all its faults. */
export const worksNamed = <const Name extends string>(name: Name): ((config: WorksRules) => Works<Name>) =>
  defineModule({
    name,
    thing: worksThing,
    initial: initialThing,
    config: worksRules,
    configFaults: faultsBetween,
    items: itemsOf,
    events: worksEvents,
    commands: worksCommands,
    maxThings: MOST_THINGS,
  }).rules({
    decide: {
      place,
      start: (asked) => ofThing(asked, (thing) => start(asked, thing)),
      'use-card': (asked) => ofThing(asked, (thing) => playCard(asked, thing)),
      cancel: (asked) =>
        ofThing(asked, (thing) => {
          const { payload, refuse } = asked;
          const cancelled = cancel({ id: payload.thing, thing, run: payload.run, refuse });
          return 'code' in cancelled ? cancelled : [cancelled];
        }),
      collect: (asked) => ofThing(asked, (thing) => collect(asked, thing)),
      reorder,
      remove: (asked) => ofThing(asked, (thing) => remove(asked, thing)),
    },
    evolve: evolveThing,
    dueAtMs: (thing) => {
      const task = runningOf(thing);
      return task && dueAtMs(task.work, thing.boost);
    },
    complete,
    renew,
    starter: ({ starter }) => starter.items,
    waitingSinceMs: (thing) => waitingOf(thing)?.sinceMs,
    goOn,
    shift: ({ id, thing, run, byMs, by, reason, nowMs, refuse }) => {
      const task = runningOf(thing);
      if (!task || (run !== undefined && run !== task.run)) return refuse('works/not-running', { thing: id });
      const dueAt = Math.max(nowMs, dueAtMs(task.work, thing.boost) + byMs);
      if (isBeyondTheClock(dueAt)) return refuse('thing/too-long', { thing: id, dueAt, latestAt: LATEST_MS });
      const workLeftMs = workUntil(nowMs, thing.boost, dueAt);
      return [{ type: 'shifted', thing: id, run: task.run, byMs, workLeftMs, dueAt, by, reason }];
    },
    stop: ({ id, thing, run, by, reason, refuse }) => {
      const cancelled = cancel({ id, thing, run, refuse });
      return 'code' in cancelled ? cancelled : [{ ...cancelled, by, reason }];
    },
    run: (thing, id) => runningOf(thing)?.run ?? id,
    title: ({ name: title }) => title,
    words: worksWords,
    reply,
    doneOf: (events) => events.filter(({ type }) => ABOUT.includes(type)).map(({ thing }) => thing),
  });

/** Commands' events on things: a quote's `doneAt` says when these things are done. */
const ABOUT: readonly string[] = ['ordered', 'reordered', 'card-used'];

/** An item of `below` is among these: the file is refused otherwise. */
const itemsOf = ({ starter, things, slots, activities, cards }: WorksCatalogue): readonly string[] => {
  const taken = Object.values(things).flatMap(({ takes }) => [takes].flat());
  const moved = Object.values(activities).flatMap(({ takes = {}, gives = {}, oneOf, needs = {} }) => [
    ...[takes, gives].flat(),
    ...(oneOf?.of.map((one) => one.gives) ?? []),
    ...[needs].flat().map(({ items = {} }) => items),
  ]);
  const names = [starter.items, ...taken, ...moved, cards].flatMap((items) => Object.keys(items));
  const ofSlots = Object.values(slots).flatMap(({ item }) => item ?? []);
  return [...new Set([...names, ...ofSlots])].filter((item) => item !== 'level');
};

/** `thing` with its new due time: 0 if it has none; missing if it did not change. */
const reply = (events: readonly HappenedOf<WorksEvents>[]): object => {
  const [first] = events;
  if (!first) return {};
  let dueAt: number | undefined;
  for (const event of events) {
    if (event.thing !== first.thing) continue;
    if ('dueAt' in event) dueAt = event.dueAt;
    else if (event.type === 'finished' || event.type === 'cancelled') dueAt = 0;
  }
  return {
    thing: first.thing,
    ...(dueAt !== undefined && { dueAt }),
    ...(first.type === 'card-used' && first.wastedMs !== undefined && { wastedMs: first.wastedMs }),
  };
};

/** The next opening of each entry that is closed at `nowMs`, by its place: `activities.brew`; null if there is none. */
export const openingsOf = ({ windows, things, activities, cards }: WorksCatalogue, nowMs: number) =>
  Object.fromEntries(
    Object.entries({ things, activities, cards }).flatMap(([part, entries]) =>
      Object.entries<Timed>(entries).flatMap(([name, own]) => {
        const opensAt = opensAtMs(own, windows, nowMs) ?? null;
        return opensAt === nowMs ? [] : [[`${part}.${name}`, opensAt] as const];
      }),
    ),
  );
