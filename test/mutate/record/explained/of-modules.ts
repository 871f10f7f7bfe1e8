import { because, type Explained } from './explained-mutant.ts';

const COMPILER = 'never so: it is there for the compiler';
const ASKED = 'the engine asks only what waits, and completes only what is due';
const ENGINE = 'the engine refuses it in the same words';
const PETS = 'shared/pets/pets.ts';
const START = 'shared/works/start.ts';
const DECIDE = 'shared/works/decide.ts';
const ORDER = 'shared/works/order.ts';

export const ofModules: readonly Explained[] = [
  ...because('shared/pets/evolve-pet.ts', COMPILER, ['default: return event.effect satisfies never;']),
  ...because('shared/pets/play-card.ts', COMPILER, [
    'default: return card satisfies never;',
    'pet.boost?.rate',
    'pet.boost?.endsAtMs',
  ]),
  ...because('shared/pets/play-card.ts', ENGINE, [['countOf(items, payload.card) < count', 'false']]),
  ...because('shared/pets/play-card.ts', 'no number is more than none', [
    ['payload.maxWastedMs !== undefined', 'true'],
  ]),
  ...because('shared/pets/refusals.ts', COMPILER, ['pet.lastFeeding?.feedingId', 'pet.feeding?.feedingId']),
  ...because(PETS, ENGINE, [['countOf(items, payload.food) < 1', 'false']]),
  ...because(PETS, ASKED, ['[]', ['!feeding', 'false']]),
  ...because(PETS, 'no other event has such a field', [["first.type === 'card-used'", 'true']]),
  ...because('shared/pets/rules-file.ts', 'one species is not listed twice', ['[]']),
  ...because(ORDER, 'no slot has that name', [['own.slot === undefined', 'false']]),
  ...because(ORDER, 'rules that name an unknown slot are refused', [
    ['own.slot !== undefined && slot', 'own.slot !== undefined || slot'],
    ['own.slot !== undefined', 'true'],
  ]),
  ...because(ORDER, 'JSON leaves out what is undefined', [['slot.item !== undefined', 'true']]),
  ...because(START, ASKED, ['[]', '!waits', '!task']),
  ...because(START, 'no item is called `undefined`', [['slot.item === undefined', 'false']]),
  ...because(START, 'only speed: what runs is counted again', [
    ['counted?.nextSeq !== nextSeq', 'true'],
    'runningBySlot.set(things, counted);',
  ]),
  ...because(START, 'nobody asks for the slot without a name', [['name !== undefined', 'true']]),
  ...because(START, 'no two things have one id', [['id < otherId', 'id <= otherId']]),
  ...because(START, 'it starts at once, and waits since no time', [['next.length > 0', 'false']]),
  ...because(DECIDE, COMPILER, [
    "''",
    '[]',
    'thing?.name',
    'entryOf(catalogue.slots, slot.name)?.queue',
    'line[at]?.[1]',
  ]),
  ...because('shared/works/play-card.ts', COMPILER, [
    'default: return card satisfies never;',
    'thing.boost?.rate',
    'thing.boost?.endsAtMs',
  ]),
  ...because('shared/works/play-card.ts', 'no number is more than none', [
    ['payload.maxCount !== undefined', 'true'],
    ['maxWastedMs !== undefined', 'true'],
  ]),
  ...because('shared/works/rules-file.ts', 'no share of four decimals is off by so much', [
    'Math.abs(share * WHOLE - Math.round(share * WHOLE)) < 1e-6',
  ]),
  ...because('shared/works/works.ts', 'no other event has such a field', [["first.type === 'card-used'", 'true']]),
  ...because('shared/works/faults-between.ts', 'what is no name is passed over', [['slot === undefined', 'false']]),
  ...because('shared/works/faults-between.ts', COMPILER, ['first?.[1]', 'first?.[0]']),
];
