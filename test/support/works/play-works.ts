import { judge } from '../../../server/domain/decide.ts';
import { fold } from '../../../server/domain/evolve.ts';
import { Modules } from '../../../server/domain/modules.ts';
import { settle, settleSome } from '../../../server/domain/settle.ts';
import { pets, works } from '../../../server/settings/rules.ts';
import type { HomeEvent } from '../../../shared/event.ts';
import { type Home, newHome, thingsOf } from '../../../shared/home.ts';
import type { Items } from '../../../shared/items.ts';
import type { Command } from '../../../shared/protocol.ts';
import type { WorksRules } from '../../../shared/works/rules-file.ts';
import type { WorksThing } from '../../../shared/works/thing.ts';
import { CHANCE } from '../../simulation/world/sim-home-store.ts';
import type { Intent, Look } from './works-histories.ts';
import { CARDS, ITEMS, START_AT_MS } from './works-histories.ts';
import type { Drawn, OracleCommand } from './works-oracle.ts';

/** As the simulated store has it. */
export const SEED = { ...CHANCE, life: 0 };

/** Longer than what cannot repeat itself takes. */
const REST_MS = 200;

/** The drawn items in the log. */
export const drawsOf = (log: readonly HomeEvent[]): readonly Drawn[] =>
  log.flatMap(({ drawn }) => (drawn === undefined ? [] : [drawn as Drawn]));

/** Some of everything, so that commands can be paid for. */
export const STOCK: Items = {
  ...Object.fromEntries(ITEMS.map((item) => [item, item === 'builder' ? 1 : 12])),
  ...Object.fromEntries(CARDS.map((card) => [card, 9])),
};

export interface TwoRules {
  readonly town: WorksRules;
  readonly farm: WorksRules;
}

/** A town and a farm by these rules, and pets that eat what they give. */
export const modulesOf = ({ town, farm }: TwoRules): Modules => {
  const meals = { 'dog-food': { workMs: 5, xp: 1 }, snack: { workMs: 3, xp: 1 } };
  const cards = { 'auto-feed': { effect: 'repeat', times: 2 } };
  const petRules = { foods: meals, cards, starter: { items: {} } };
  return new Modules([pets(petRules), works({ name: 'town', rules: town }), works({ name: 'farm', rules: farm })]);
};

export interface Step {
  readonly nowMs: number;
  readonly rules: TwoRules;
  /** As the engine gets it. */
  readonly order: Command;
  /** Undefined: something that is not of works. */
  readonly command: OracleCommand | undefined;
  readonly isAccepted: boolean;
  /** Why not. */
  readonly code: string | undefined;
}

export interface PlayedWorks {
  readonly steps: readonly Step[];
  readonly log: readonly HomeEvent[];
  readonly home: Home;
  readonly endMs: number;
}

export interface Playing {
  readonly rules: TwoRules;
  /** In force in the middle of the history; then the first ones again, as after a roll back. */
  readonly later: TwoRules;
  readonly looks?: readonly Look[];
  /** In force while no command runs. */
  readonly settling?: TwoRules;
  readonly playerId?: string;
  readonly startMs?: number;
}

/** What a player begins with, after an event of which nothing is kept. */
export const newPlayed = (playerId: string): Home => ({
  ...newHome(playerId),
  seq: 1,
  items: { ...STOCK, 'auto-feed': 3, snack: 1 },
  opened: ['farm', 'pets', 'town'],
});

/** Plays a history from a home with a stock to its end. */
export const playWorks = (
  history: readonly Intent[],
  { rules, later, looks = [], settling, playerId = 'anna', startMs = START_AT_MS }: Playing,
): PlayedWorks => {
  const early = modulesOf(rules);
  const late = later === rules ? early : modulesOf(later);
  const between = settling && modulesOf(settling);
  const steps: Step[] = [];
  const log: HomeEvent[] = [];
  let nowMs = startMs;
  let home = newPlayed(playerId);
  const add = (modules: Modules, events: readonly HomeEvent[]): void => {
    log.push(...events);
    home = fold(modules, home, events);
  };
  const waiting = [...looks].sort((one, other) => one.afterMs - other.afterMs);
  const lookUntil = (modules: Modules, untilMs: number): void => {
    while (waiting[0] && startMs + waiting[0].afterMs <= untilMs) {
      const { afterMs, maxEvents } = waiting.shift() ?? { afterMs: 0, maxEvents: 1 };
      add(modules, settleSome(modules, home, { nowMs: startMs + afterMs, maxEvents, seed: SEED }).events);
    }
    add(modules, settle(modules, home, untilMs, SEED));
  };
  for (const [index, intent] of history.entries()) {
    const isLate = Math.floor((index * 5) / history.length) % 2 === 1;
    const modules = isLate ? late : early;
    nowMs += intent.afterMs;
    lookUntil(between ?? modules, nowMs);
    const [command, asked] = meant(intent, home, (isLate ? later : rules)[intent.module]);
    const { settled, decision } = judge({ modules, home, command, commandId: `command-${index}`, nowMs, seed: SEED });
    if (!decision.ok && decision.fault) throw decision.fault;
    add(modules, [...settled, ...(decision.ok ? decision.value : [])]);
    const outcome = { isAccepted: decision.ok, code: decision.ok ? undefined : decision.error.code };
    steps.push({ nowMs, order: command, rules: isLate ? later : rules, command: asked, ...outcome });
  }
  const endMs = nowMs + REST_MS;
  lookUntil(between ?? early, endMs);
  return { steps, log, home, endMs };
};

/** The command as the engine gets it, and as an oracle does. */
const meant = (intent: Intent, home: Home, rules: WorksRules): readonly [Command, OracleCommand | undefined] => {
  const { module, type, items } = intent;
  const newId = `${home.playerId}~${module.slice(0, 1)}${home.seq + 1}`;
  if (type === 'pet') return [petCommand(intent, home), undefined];
  if (type === 'give' || type === 'rob') {
    const asked = { type: type === 'give' ? 'home:grant' : 'home:take', items, reason: 'trial' };
    return [asked, { type, module, newId, items }];
  }
  const payload = payloadOf(intent, thingsOf(home, module) as Readonly<Record<string, WorksThing>>, rules);
  return [
    { type: `${module}:${type}`, ...payload },
    { type, module, newId, ...payload },
  ];
};

const APT: Readonly<Record<string, string>> = {
  start: 'rests',
  remove: 'rests',
  'use-card': 'runs',
  cancel: 'runs',
  collect: 'holds',
};

const payloadOf = (
  { type, thing: at, name, activity, card, count, max }: Intent,
  things: Readonly<Record<string, WorksThing>>,
  rules: WorksRules,
): object => {
  const ids = Object.keys(things);
  // Mostly a thing that can; one that cannot is tried as well.
  const isApt = (id: string): boolean =>
    (things[id]?.task?.state ?? 'rests') === APT[type] || (type === 'collect' && things[id]?.held !== undefined);
  const apt = at > 5 ? ids : ids.filter(isApt);
  const thing = apt[at % Math.max(1, apt.length)] ?? ids[0] ?? 'nobody';
  switch (type) {
    case 'place':
      return { thing: name };
    case 'start':
      return { thing, activity: at > 5 ? activity : (fitting(rules, things[thing]?.name, at) ?? activity) };
    case 'use-card':
      return {
        ...{ thing, card },
        ...(count !== undefined && card !== 'gem' && { count }),
        ...(max !== undefined && { [card === 'gem' ? 'maxCount' : 'maxWastedMs']: max }),
      };
    case 'reorder': {
      const slot = at % 2 === 0 ? 'builders' : 'ovens';
      const line = ids.filter((id) => {
        const { task } = things[id] ?? {};
        return task?.state === 'waits' && task.order.slot?.name === slot;
      });
      return { slot, things: at < 2 ? line : line.toReversed() };
    }
    default:
      return { thing };
  }
};

const fitting = (rules: WorksRules, name: string | undefined, at: number): string | undefined => {
  const fit = Object.entries(rules.activities).flatMap(([activity, { on }]) =>
    name !== undefined && on.includes(name) ? [activity] : [],
  );
  return fit[at % Math.max(1, fit.length)];
};

const petCommand = ({ thing, count }: Intent, home: Home): Command => {
  const [petId] = Object.keys(thingsOf(home, 'pets'));
  if (petId === undefined) return { type: 'home:adopt', name: 'Rex', species: 'dog' };
  return count === undefined || thing > 4
    ? { type: 'home:feed', petId, food: 'snack' }
    : { type: 'home:use-card', petId, card: 'auto-feed', count };
};
