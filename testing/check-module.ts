import fc from 'fast-check';
import { replyOf } from '../server/domain/decide.ts';
import { fold } from '../server/domain/evolve.ts';
import { Modules } from '../server/domain/modules.ts';
import { settle } from '../server/domain/settle.ts';
import { callGameNow, handleRejections, isA, textOf as textOfThrown } from '../shared/game-code.ts';
import { type Home, newHome } from '../shared/home.ts';
import type { Items } from '../shared/items.ts';
import { LATEST_MS } from '../shared/latest-ms.ts';
import { moduleSchema } from '../shared/module/check-module.ts';
import type { AnyModule } from '../shared/module/module.ts';
import { readOptions } from '../shared/options/read-options.ts';
import { callable, fields, flag, having, instantMs, list, textUpTo, value, wholeMs } from '../shared/options/shapes.ts';
import { isText } from '../shared/text.ts';
import { runOptions, type TrialOptions, type Violation } from './check-rules.ts';
import { hold, isSame, same, stored, written } from './claims.ts';
import { inOtherWorld } from './other-world.ts';
import {
  COMMANDS,
  HOUR_MS,
  type Look,
  type ModuleTrial,
  type Playing,
  play,
  START_AT_MS,
  type Trying,
} from './play-module.ts';

export type { ModuleTrial } from './play-module.ts';

const isCount = (given: unknown): boolean => Number.isSafeInteger(given) && Number(given) >= 0;

const trialSchema = fields<ModuleTrial>({
  commands: having<ModuleTrial['commands']>('generate'),
  items: value<Items>(
    (given) => typeof given === 'object' && given !== null && Object.values(given).every(isCount),
    'give a whole number of 0 or more by item',
  ).optional(),
  otherItems: value<readonly string[] | 'any'>(
    (given) => given === 'any' || (Array.isArray(given) && given.every(isText)),
    "give a list of names, or 'any'",
  ).optional(),
  other: moduleSchema.optional(),
  invariant: callable.optional(),
  mayRefuse: list(textUpTo(128)).optional(),
  hostRefuses: flag.optional(),
  startAtMs: instantMs().optional(),
  unitMs: wholeMs({ min: 1, max: LATEST_MS / 1000 }).optional(),
});

export const checkModuleArguments = fields({
  module: moduleSchema,
  trial: trialSchema,
  options: fields<TrialOptions>(runOptions),
});

/**
 * Tries the laws of all modules on random histories. Returns the first broken law, with the smallest history that
 * breaks it and the seed that repeats it. It takes a second or two by default.
 */
export const checkModule = (
  givenModule: AnyModule,
  givenTrial: ModuleTrial,
  options: TrialOptions = {},
): readonly Violation[] => {
  const given = { module: givenModule, trial: givenTrial, options };
  const { module, trial, ...read } = readOptions(checkModuleArguments, given, 'checkModule');
  const { runs = DEFAULT_RUNS, seed = anySeed() } = read.options;
  const unitMs = trial.unitMs ?? HOUR_MS;
  // Whole units meet due times exactly; other times show what a rule does not round.
  const wait = fc.oneof(
    { weight: 3, arbitrary: fc.nat(3).map((units) => units * unitMs) },
    { weight: 1, arbitrary: fc.nat(3 * unitMs) },
  );
  const step = fc.record({ afterMs: wait, command: trial.commands });
  // Without a bias to small numbers: each history has other draws.
  const history = fc.record({ steps: fc.array(step, { maxLength: 15, size: 'max' }), draws: fc.noBias(fc.nat()) });
  const look = fc.record({ atMs: fc.nat(60 * unitMs), maxEvents: fc.integer({ min: 1, max: 4 }) });
  const looks = fc.array(look, { maxLength: 8 });
  for (const [law, claim] of lawsOf(module, { ...trial, outcomes: new Map() })) {
    const property = fc.property(history, looks, fc.integer({ min: 1, max: TEN_YEARS_MS }), readable(claim));
    const details = callGameNow(COMMANDS, () => fc.check(property, { numRuns: runs, seed }));
    if (!details.failed) continue;
    const { message } = details.errorInstance as Error;
    const [smallest, ...rest] = details.counterexample ?? [];
    const played = `The history: ${written(smallest)}; looked at: ${written(rest[0] ?? [])}`;
    const again = `{ seed: ${seed}${runs === DEFAULT_RUNS ? '' : `, runs: ${runs}`} }`;
    return [{ law, counterexample: `${message}\n${played}\nAgain: checkModule(module, trial, ${again})` }];
  }
  return [];
};

const DEFAULT_RUNS = 100;
/** How much later another world may be: any part of the clock differs in some. */
const TEN_YEARS_MS = 87_660 * HOUR_MS;
/** UTC+14, and UTC-3:30 (in summer -2:30): hours and minutes always differ. */
const [EASTERN, WESTERN] = ['Pacific/Kiritimati', 'America/St_Johns'];

const anySeed = (): number => fc.sample(fc.integer(), 1)[0] ?? 0;

/** fast-check reads what is thrown: it gets only an error of ours. */
const readable =
  (claim: Claim): Claim =>
  (history, looks, laterMs) => {
    try {
      claim(history, looks, laterMs);
    } catch (thrown) {
      throw new Error(isA(thrown, Error) ? thrown.message : textOfThrown(thrown));
    }
  };

const UNSTORED = 'goes by the order of names, or sees undefined fields: the database changes both';

type Claim = (history: Playing, looks: readonly Look[], laterMs: number) => void;

const lawsOf = (module: AnyModule, trial: Trying): readonly (readonly [string, Claim])[] => {
  const { startAtMs = START_AT_MS, otherItems = [] } = trial;
  const modules = new Modules([module], [], otherItems);
  const other = new Modules([trial.other ?? module], [], otherItems);
  return [
    ['the trial asks for commands that the module has', (history) => holdKnown(modules, trial, history)],
    [
      'rules fail in no history, and a thing is as its schema says and survives JSON',
      (history) => void play(modules, trial, history),
    ],
    [
      'rules read neither the clock nor a chance of their own',
      (history, _looks, laterMs) => {
        const on = (atMs: number, timeZone: string) =>
          inOtherWorld({ atMs, timeZone }, () => play(modules, trial, history));
        const [one, two] = [on(startAtMs, EASTERN), on(startAtMs + laterMs, WESTERN)];
        const asks = `asks the clock or the machine's time zone, or draws`;
        sameLog(one.log, two.log, `a rule ${asks} without the chance that it is given`);
        sameThings(one.home, two.home, `evolve ${asks}: take what it needs from the event`);
        const why = `reply, title, run or doneOf ${asks}: take what it needs from the event or thing`;
        sameLog([...one.replies, ...one.answers], [...two.replies, ...two.answers], why, 'answer');
      },
    ],
    ['what has settled has nothing to settle', (history) => holdRest(modules, play(modules, trial, history).home)],
    [
      'the log gives the same things and replies after the database has stored it',
      (history) => {
        const told = play(modules, trial, history);
        const folded = fold(modules, newHome(told.home.playerId), stored(told.log));
        sameThings(folded, told.home, `evolve ${UNSTORED}`);
        for (const reply of told.replies) {
          const again = replyOf(modules, stored(reply.events));
          hold(isSame(stored(again), stored(reply)), `reply ${UNSTORED}`);
        }
      },
    ],
    [
      'looking at any times, in slices of any size, gives the same log',
      (history, looks) =>
        sameLog(
          play(modules, trial, { ...history, looks }).log,
          play(modules, trial, history).log,
          'what happens depends on when somebody looks',
        ),
    ],
    [
      'settling reads no rules: others give the same log',
      (history) => {
        const told = play(modules, trial, history);
        const settled = play(modules, trial, { ...history, settling: other });
        sameLog(settled.log, told.log, 'complete or goOn reads the rules: copy what they need into the event');
        const folded = fold(other, newHome(told.home.playerId), told.log);
        sameThings(folded, told.home, 'evolve reads the rules: copy what it needs into the event');
      },
    ],
    ['each command was accepted at least once', () => holdAccepted(modules, trial)],
  ];
};

const holdKnown = (modules: Modules, { items = {} }: ModuleTrial, { steps }: Playing): void => {
  const [module] = modules.all;
  for (const item of Object.keys(items)) {
    hold(
      modules.uses(item),
      `items of the trial: ${item} is declared neither in items of the module nor in otherItems`,
    );
  }
  const known = [...(module?.commands.keys() ?? [])];
  handleRejections(steps);
  for (const { command } of steps) {
    const isRight = callGameNow(COMMANDS, () => isText(command.type) && Object(command.payload) === command.payload);
    hold(isRight, `${COMMANDS}: give a type and an object as payload`);
    hold(
      known.includes(command.type),
      `“${command.type}” is no command of ${module?.name}: it has ${known.join(', ')}`,
    );
  }
};

/** Checks all histories that were played before. */
const holdAccepted = ({ all: [module] }: Modules, { outcomes, mayRefuse = [] }: Trying): void => {
  hold(outcomes.size > 0, 'no history had a command: give the trial more runs');
  for (const [type, refusal] of outcomes) {
    const why = refusal && `${refusal.code} ${JSON.stringify(refusal.params)}`;
    hold(
      !refusal || mayRefuse.includes(type),
      `“${type}” was never accepted, at last ${why}: give the trial what it needs, or name it in mayRefuse`,
    );
  }
  for (const type of module?.commands.keys() ?? [])
    hold(
      outcomes.has(type) || mayRefuse.includes(type),
      `“${type}” was never asked for: add it to the commands of the trial, or name it in mayRefuse`,
    );
};

/** Two logs, or lists of answers, that must be equal: the first different entry says enough. */
const sameLog = (one: readonly object[], other: readonly object[], why: string, what = 'event'): void => {
  const at = one.findIndex((entry, index) => !isSame(entry, other[index]));
  const first = at < 0 && other.length > one.length ? one.length : at;
  hold(
    first < 0,
    `${why}: ${what} ${first + 1} is ${written(one[first])} in one of two plays, ${written(other[first])} in the other`,
  );
};

const sameThings = (one: Home, other: Home, why: string): void =>
  hold(
    isSame(stored(one.things), stored(other.things)),
    `${why}: things are ${written(one.things)} and ${written(other.things)}`,
  );

const holdRest = (modules: Modules, home: Home): void => same(settle(modules, home, home.lastAtMs), []);
