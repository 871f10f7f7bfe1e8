import { globSync } from 'node:fs';
import path from 'node:path';

/** A folder of sources that is mutated, and the quick tests that have to notice. */
export interface MutatedRoom {
  readonly name: string;
  readonly files: readonly string[];
  /** In the order in which they run: the quick examples first, for the first failure ends a try. */
  readonly tests: readonly string[];
  /** The servers that its tests need; one is started for the whole run. */
  readonly server?: 'postgres' | 'redis';
}

/** The engine on modules that do what a test says. */
const engine = [
  'test/domain/{settle-order,module-faults,modules,operators-and-timers,merges-and-versions,read-command}.test.ts',
  'test/domain/{chance,counters,draft,drawing-rules,frozen,open-home,reached,renew,rules-of-classes}.test.ts',
];
const rules = ['test/domain/{feeding-rules,card-rules,chain-rules,refusals,refusal-params,clock-end}.test.ts'];
/** What a module's rules may return and throw. */
const wall = ['test/game-code/rules-wall.test.ts'];
const laws = ['test/domain/{operator-rules,oracle}.test.ts', 'test/domain/laws.test.ts'];
/** Without their laws: a history of two modules is long, and its cases alone would make each try ten times as long. */
const works = [
  'test/modules/works/{table,orders,refusals,replies,cards,rules-file,words,chance,windows,renewal}.test.ts',
  'test/modules/works/many-faults.test.ts',
];
/** In memory, on a clock moved by hand. */
const lanes = [
  'test/timer/fire/{deliveries,sweep/swept-rows,lost-put-beside-handlers}.test.ts',
  'test/timer/fire/{calls,lanes}.test.ts',
];
const fire = 'server/timer/fire';
/** On one real Postgres. */
const firing = ['test/timer/fire/{own-kinds,derived-kinds,handler-locks,fires,again}.test.ts'];

/** Tried by our own `lua/`, for Stryker knows no Lua. */
export const luaRoom: MutatedRoom = {
  name: 'server/adapter/redis/index/lua',
  files: ['server/adapter/redis/index/lua/*.lua'],
  tests: [
    'test/adapter/redis/index/redis-scripts.test.ts',
    'test/contract/due-index-redis.test.ts',
    'test/adapter/redis/index/{consumer-group,redis-generations}.test.ts',
    'test/adapter/redis/redis-live-nodes.test.ts',
  ],
  server: 'redis',
};

export const mutatedRooms: readonly MutatedRoom[] = [
  {
    name: 'shared',
    files: ['shared/{work,home}.ts'],
    tests: ['test/shared/{work,home,evolve,home-state}.test.ts', 'test/domain/counters.test.ts', ...rules, ...laws],
  },
  {
    name: 'shared/pets',
    files: ['shared/pets/*.ts'],
    tests: ['test/shared/{armed-pets,shown-pet,catalogue,rules-file,protocol,home-state}.test.ts', ...rules, ...laws],
  },
  { name: 'shared/works', files: ['shared/works/*.ts'], tests: works },
  { name: 'server/domain', files: ['server/domain/*.ts'], tests: [...engine, ...rules, ...wall, ...laws] },
  {
    name: 'server/timer/wheel',
    files: ['server/timer/wheel/*.ts'],
    tests: ['test/timer/wheel/*.test.ts', 'test/contract/due-index-wheel.test.ts'],
  },
  {
    name: 'server/timer/clock',
    files: ['server/timer/clock/{clock-watch,store-clock}.ts'],
    tests: ['test/timer/clock/{store-clock,accepted-clock,clock-watch}.test.ts'],
  },
  // By itself: its properties make each try long.
  {
    name: 'server/timer/clock/clock-guard.ts',
    files: ['server/timer/clock/clock-guard.ts'],
    tests: ['test/timer/clock/clock-guard.test.ts', 'test/timer/clock/clock-watch.test.ts'],
  },
  {
    name: 'server/timer/model',
    files: ['server/timer/model/*.ts'],
    tests: [
      'test/timer/model/*.test.ts',
      'test/options/every-option.test.ts',
      'test/timer/fire/again.test.ts',
      'test/timer/{changes,timer-service,unknown-kinds}.test.ts',
      'test/timer/recurrence/{changing,recurring}.test.ts',
      'test/game-code/lent-transactions.test.ts',
    ],
    server: 'postgres',
  },
  {
    name: 'server/timer/write',
    files: ['server/timer/write/*.ts'],
    tests: [
      'test/timer/write/*.test.ts',
      'test/options/every-option.test.ts',
      'test/timer/{unknown-kinds,timer-service,idempotency,changes}.test.ts',
      'test/timer/recurrence/{recurrence,changing,recurring}.test.ts',
      'test/timer/fire/again.test.ts',
    ],
    server: 'postgres',
  },
  {
    name: 'server/timer/fire',
    files: [`${fire}/{deliveries,reclaimer,worker}.ts`],
    tests: lanes,
  },
  // By itself: its tests sweep thousands of rows.
  {
    name: 'server/timer/fire/sweeper.ts',
    files: [`${fire}/sweeper.ts`],
    tests: ['test/timer/fire/sweep/{swept-rows,sweeper}.test.ts'],
  },
  {
    name: 'server/timer/fire lanes',
    files: [`${fire}/{batches,intake,lane,lanes,throughput}.ts`],
    tests: ['test/timer/fire/{throughput,accepted,waiting}.test.ts', ...lanes],
  },
  {
    name: 'server/timer/fire later',
    files: [`${fire}/{failure,in-flight,late-timers,not-retryable,requeue}.ts`],
    tests: [
      'test/timer/fire/batches/*.test.ts',
      'test/timer/fire/{failures,accepted,late-timers,outcomes,fired-batches,settled-owners,waiting}.test.ts',
      'test/timer/fire/{calls,lanes}.test.ts',
    ],
  },
  {
    name: 'server/timer/fire handlers',
    files: [
      `${fire}/{again,calls,derived-runner,fire-runner,fire-try,handler-io,handler-tx,own-turns,running-call}.ts`,
    ],
    tests: [
      'test/timer/fire/batches/*.test.ts',
      'test/timer/fire/{failures,outcomes,fired-batches,settled-owners}.test.ts',
      ...lanes,
      'test/timer/fire/whose-fault.test.ts',
      ...firing,
    ],
    server: 'postgres',
  },
  luaRoom,
];

const root = path.join(import.meta.dirname, '../../..');

/** The files of a room as they are now. */
export const filesOf = ({ files }: MutatedRoom): readonly string[] =>
  files
    .flatMap((glob) => globSync(glob, { cwd: root }))
    .map((file) => file.replaceAll(path.sep, '/'))
    .toSorted();

/** The tests of a room, or of all. */
export const testsOf = (name: string | undefined): readonly string[] =>
  mutatedRooms.filter((room) => name === undefined || room.name === name).flatMap(({ tests }) => tests);
