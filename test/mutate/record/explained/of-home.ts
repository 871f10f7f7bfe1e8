import { because, type Explained } from './explained-mutant.ts';

const COMPILER = 'never so: it is there for the compiler';
const SPEED = 'only speed: what is left out would do nothing';
const SETTLE = 'server/domain/settle.ts';
const DUE = 'server/domain/due-of.ts';
const DRAFT = 'server/domain/draft.ts';
const OPEN = 'server/domain/open-home.ts';

export const ofHome: readonly Explained[] = [
  ...because('shared/home.ts', 'only speed: the map is copied once more', [
    ['own === before && thing', 'false'],
    'made.add(own);',
  ]),
  ...because('shared/work.ts', 'where both are equal, both sides give the same time', [
    ['work.leftMs <= boostedMs * rate', 'work.leftMs < boostedMs * rate'],
  ]),
  ...because('shared/work.ts', COMPILER, ['running?.rate']),
  ...because(SETTLE, SPEED, ['aside.size > 0', 'waiting.length === 0']),
  ...because(SETTLE, 'only speed: the others cannot go on, for all were asked until none could', [
    ['waiting.filter((place) => names.has(nameOf(place)))', 'waiting'],
  ]),
  ...because('server/domain/reply-of.ts', 'a list has both or none', [['!first || !last', '!first && !last']]),
  ...because('server/domain/written.ts', 'what is wrapped here is unwrapped below, or a fault already', [
    '{ module: module.name, rule }',
  ]),
  ...because('server/domain/written.ts', 'whatever a rule throws is a fault by then', [
    ['error instanceof ModuleFault', 'true'],
  ]),
  ...because('server/domain/evolve.ts', COMPILER, [
    'default: return event satisfies never;',
    'module.rules.evolve[own.type]?.(before, own)',
  ]),
  ...because('server/domain/evolve.ts', 'the same version has returned already', [
    ['version > module.version', 'version >= module.version'],
  ]),
  ...because('server/domain/modules.ts', 'two of one name are refused', [
    ['one.name < other.name', 'one.name <= other.name'],
  ]),
  ...because('server/domain/modules.ts', 'the same two, found from the other one', [['at + 1', 'at - 1']]),
  ...because('server/domain/decide.ts', 'it is 1 or -1', [['sign < 0', 'sign <= 0']]),
  ...because('server/domain/decide.ts', COMPILER, ['module.rules.decide[own]?.(scene)']),
  ...because(DRAFT, 'a name for people', ["'Impossible'"]),
  ...because(DRAFT, 'words of a fault, for people', ["'.'"]),
  ...because(DRAFT, 'what is given leaves no stock below none', [
    ['delta < 0', 'true'],
    ['delta < 0', 'delta <= 0'],
  ]),
  ...because(DRAFT, 'no time is later than none', [['dueAt !== undefined', 'true']]),
  ...because(DUE, COMPILER, ['module.rules.waitingSinceMs?.(thing)', 'module.rules.dueAtMs?.(thing)']),
  ...because(DUE, 'only speed: the line is made once more', [
    ['now?.sinceMs !== undefined || this.#asked.get(name)?.sinceMs !== undefined', 'true'],
  ]),
  ...because(DUE, 'no two things of a module have one id', [
    [
      '(one.dueAtMs - earliest.dueAtMs || byName(one, earliest)) < 0',
      '(one.dueAtMs - earliest.dueAtMs || byName(one, earliest)) <= 0',
    ],
  ]),
  ...because(OPEN, 'where nothing is missing the rest adds nothing', ['home.seq > 0 && missing.length === 0']),
  ...because(
    OPEN,
    'a home without events has opened no module, so all are missing; where none is the rest adds nothing',
    ['home.seq > 0'],
  ),
  ...because('server/domain/merge.ts', 'what is no thing is of no module', ['[]']),
  ...because('server/domain/operator-acts.ts', COMPILER, ['default: return command satisfies never;']),
  ...because('server/domain/operator-acts.ts', 'whatever is no stop is a shift', ["'ops:shift'"]),
  ...because('server/domain/timers-of.ts', 'a timer without a time is not put', ['[]']),
  ...because('server/domain/timers-of.ts', SPEED, ['earlier === later']),
];
