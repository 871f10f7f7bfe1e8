/**
 * The rooms, and what each may import besides itself. A room is a folder with files of its own; a sub-room is a room like
 * any other, and its parent is not part of it. `x/**` is the folder x and all below it. Arrows point inward: what wires
 * (`server`, `server/wiring`, `server/reference`, `server/cli`) stands outside, and nothing imports it back.
 */
const engine = ['shared', 'shared/options', 'server/runtime', 'server/timer/model', 'server/timer/recurrence'];
const firing = [...engine, 'server/timer/clock', 'server/timer/index'];
const operators = ['shared/**', 'server/domain', 'server/runtime', 'server/home/model', 'server/timer/model'];
const schema = 'server/adapter/postgres/schema';
const postgres = ['shared/**', 'server/runtime', 'server/timer/model', 'server/timer/clock', 'server/adapter/postgres'];
const stores = [...postgres, schema];

export const arrows: Readonly<Record<string, readonly string[]>> = {
  build: [],
  shared: [],
  // How every option and argument is read.
  'shared/options': ['shared'],
  // Beside it the entry `colyseus-kibble/work`.
  'shared/calendar': ['shared', 'shared/options'],
  'shared/module': ['shared', 'shared/options'],
  'shared/pets': ['shared', 'shared/module'],
  'shared/works': ['shared', 'shared/options', 'shared/module', 'shared/calendar'],
  'shared/ops': ['shared', 'shared/module'],
  testing: [
    'shared',
    'shared/options',
    'shared/module',
    'shared/pets',
    'server/domain',
    'server/runtime',
    'server/home/model',
    'server/timer/model',
    'server/timer/index',
    // A Postgres for a game's own tests.
    'server/adapter/embedded-postgres',
    // An inventory is tried within the bounds that the engine sets.
    'server/adapter/postgres/home',
    'server/adapter/machine',
  ],

  // Of modules types alone.
  'client/follow': ['shared', 'shared/options', 'shared/module', 'shared/pets'],
  'client/look': ['shared'],
  'client/look/art': ['shared', 'client/look'],
  'client/page': ['shared', 'client/**'],
  'client/page/words': ['shared'],
  'client/page/game': [
    'shared',
    'shared/module',
    'shared/pets',
    'shared/works',
    'client/follow',
    'client/look',
    'client/page/words',
  ],
  'client/page/parts': [
    'shared',
    'shared/pets',
    'client/follow',
    'client/look/**',
    'client/page/words',
    'client/page/game',
    'client/page/town',
  ],
  'client/page/town': ['shared', 'client/follow', 'client/look/**', 'client/page/words', 'client/page/game'],

  'ops/session': ['shared/**'],
  'ops/words': ['shared/**'],
  'ops/parts': ['shared/**', 'client/look/**', 'ops/session', 'ops/words'],
  'ops/acts': ['shared/**', 'client/look/**', 'ops/session', 'ops/words', 'ops/parts'],
  'ops/rules': ['shared/**', 'client/look/**', 'ops/session', 'ops/words', 'ops/parts', 'ops/acts'],
  'ops/pages': ['shared/**', 'client/look/**', 'ops/session', 'ops/words', 'ops/parts', 'ops/acts', 'ops/rules'],
  ops: ['shared/**', 'client/look/**', 'ops/**'],

  'server/runtime': ['shared', 'shared/options'],
  'server/settings': ['shared', 'shared/options', 'shared/module', 'shared/pets', 'shared/works'],
  'server/domain': ['shared', 'shared/options', 'shared/module'],

  'server/timer/recurrence': ['shared', 'shared/options', 'shared/calendar'],
  'server/timer/model': ['shared', 'shared/options', 'server/runtime', 'server/timer/recurrence'],
  'server/timer/wheel': [],
  'server/timer/clock': [...engine],
  'server/timer/index': [...engine, 'server/timer/clock'],
  'server/timer/dispatch': [...engine, 'server/timer/clock', 'server/timer/index'],
  'server/timer/write': [...engine, 'server/timer/clock', 'server/timer/index'],
  'server/timer/fire': [...firing, 'server/timer/write'],
  'server/timer': [...engine, 'server/timer/**'],

  'server/home/model': ['server/domain', ...engine],
  'server/home/follow': ['server/home/model', ...engine],
  'server/home/log': ['server/domain', 'server/home/model', ...engine],
  'server/home/rules': ['shared/module', 'server/domain', 'server/home/model', ...engine],
  'server/home/write': ['server/domain', 'server/home/model', 'server/home/follow', ...engine],
  // Of modules types alone: what a game's server may ask for.
  'server/home': ['shared/module', 'server/domain', 'server/settings', 'server/home/**', ...engine],

  'server/ops/perform': [...operators],
  'server/ops/reads': [...operators, 'server/ops/perform', 'server/home', 'server/timer/**'],
  'server/ops/acts': [
    ...operators,
    'server/ops/perform',
    'server/ops/reads',
    'server/home',
    'server/home/rules',
    'server/timer/**',
  ],
  'server/ops/jobs': [...operators, 'server/ops/perform', 'server/home'],
  'server/ops/offline': [...operators, 'server/timer/index'],
  'server/ops': [...operators, 'server/settings', 'server/home', 'server/timer/**', 'server/ops/**'],

  'server/adapter/machine': ['server/runtime', 'server/timer/clock'],
  'server/adapter/embedded-postgres': ['server/adapter/machine'],
  'server/adapter/memory': [...engine, 'server/timer/index', 'server/timer/wheel'],
  'server/adapter/redis/link': [...engine, 'server/timer/index'],
  'server/adapter/redis/index': [...engine, 'server/timer/index', 'server/adapter/redis/link'],
  'server/adapter/redis': [
    ...engine,
    'server/timer/**',
    'server/home/model',
    'server/home/follow',
    'server/adapter/redis/**',
  ],
  'server/adapter/postgres': [
    'shared',
    'shared/options',
    'server/runtime',
    'server/settings',
    'server/timer/model',
    'server/timer/clock',
    'server/adapter/machine',
  ],
  'server/adapter/postgres/timer': [...stores, 'server/timer/index', 'server/timer/recurrence'],
  'server/adapter/postgres/home': [...stores, 'server/domain', 'server/home/**'],
  'server/adapter/postgres/ops': [
    ...stores,
    'server/domain',
    'server/home/**',
    'server/ops/**',
    'server/adapter/postgres/home',
    'server/adapter/postgres/timer',
  ],
  [schema]: [...postgres, 'server/settings', 'server/timer/index'],

  'server/telemetry': ['shared', 'server/runtime', 'server/settings', 'server/timer/**', 'server/home/**'],
  'server/http': ['shared/**', 'server/runtime', 'server/settings', 'server/telemetry', 'server/ops'],
  'server/room/around-colyseus': ['shared'],
  // The gate before Colyseus: in the reference server, and in a game's own.
  'server/gate': [
    'shared/options',
    'server/runtime',
    'server/settings',
    'server/http',
    'server/adapter/machine',
    'server/room/around-colyseus',
  ],
  'server/room/session': [
    'shared',
    'shared/options',
    'shared/pets',
    'server/runtime',
    'server/home/model',
    'server/room/around-colyseus',
  ],
  'server/room': [
    'shared',
    'shared/options',
    // Types alone: what a game's clients may send.
    'shared/module',
    'shared/pets',
    'server/domain',
    'server/runtime',
    'server/settings',
    'server/http',
    'server/home/**',
    'server/room/**',
  ],

  'server/wiring': [
    'shared/**',
    'server/runtime',
    'server/settings',
    'server/telemetry',
    'server/domain',
    'server/timer/**',
    'server/home/**',
    'server/ops/**',
    'server/adapter/**',
    'server/gate',
    'server/room/around-colyseus',
  ],
  server: [
    'shared/**',
    'server/runtime',
    'server/settings',
    'server/telemetry',
    'server/domain',
    'server/timer/**',
    'server/home/**',
    'server/ops/**',
    'server/adapter/**',
    'server/http',
    'server/gate',
    'server/room/**',
    'server/wiring',
  ],
  // Its start builds the pages; the packages that are published leave it out.
  'server/reference': [
    'shared/**',
    'build',
    'server',
    'server/runtime',
    'server/settings',
    'server/telemetry',
    'server/wiring',
    'server/home/**',
    'server/adapter/**',
    'server/http',
    'server/gate',
    'server/room/**',
  ],
  'server/cli/console': ['shared/**'],
  // The plays of `kibble load` and the pasts of `kibble seed`: of the pets, like any other module.
  load: [
    'shared/**',
    'client/follow',
    'server/settings',
    'server/domain',
    'server/home/model',
    'server/ops/offline',
    'server/cli/console',
  ],
  'server/cli': [
    'shared/**',
    'load',
    'server/domain',
    'server/runtime',
    'server/settings',
    'server/telemetry',
    'server/wiring',
    'server/timer/**',
    'server/home/**',
    'server/ops/**',
    'server/adapter/**',
    'server/cli/**',
  ],
};

/** Packages that would tie the rules and the engine to a database, a framework or a machine. */
export const machinery = /^(ioredis|typeorm|pg|preact.*|@preact\/.*|@colyseus\/.*|node:.*)$/;
export const withoutMachinery = ['server/domain', 'server/runtime', 'server/timer/**', 'client/follow'];

/** Names that exist once in all folders, and where. */
export const homes: Readonly<Record<string, readonly string[]>> = {
  clock: ['server/adapter/machine/system-clock.ts', 'client/follow/platform.ts'],
  // The launcher waits for a real process to come and go; no virtual clock could make that pass.
  timers: [
    'server/adapter/machine/system-clock.ts',
    'server/adapter/embedded-postgres/postmaster.ts',
    'client/follow/platform.ts',
    'ops/session/platform.ts',
  ],
  // A contract that a game runs in its own tests makes players that no run had before.
  random: [
    'server/adapter/machine/random.ts',
    'client/follow/platform.ts',
    'ops/session/platform.ts',
    'testing/inventory-contract.ts',
    'testing/other-world.ts',
  ],
  // The zone of the machine has no other switch.
  environment: ['server/settings/config.ts', 'testing/other-world.ts'],
};

/** Whether a list such as `['shared', 'server/timer/**']` has a room. */
export const covers = (list: readonly string[], room: string): boolean =>
  list.some((entry) => {
    if (!entry.endsWith('/**')) return entry === room;
    const folder = entry.slice(0, -'/**'.length);
    return room === folder || room.startsWith(`${folder}/`);
  });
