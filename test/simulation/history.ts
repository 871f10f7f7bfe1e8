import fc from 'fast-check';
import { newHome } from '../../shared/home.ts';
import { type Catalogue, defaultCatalogue } from '../../shared/pets/catalogue.ts';
import type { Command, Reply } from '../../shared/pets/protocol.ts';
import type { Rejection } from '../../shared/protocol.ts';
import { type CommandSketch, commandArbitrary, commandOf } from '../../testing/arbitraries.ts';
import type { Rules } from '../chaos/evidence/evidence.ts';
import { BEDS, type FieldCommand, petsAndField } from '../support/field/field.ts';
import {
  type AskedTransaction,
  beginTransaction,
  type End,
  type TransactionAct,
  transactionAt,
} from './game-transactions.ts';
import { INSERT_EFFECTS } from './world/game-tables.ts';
import { Kernel, START_MS } from './world/kernel.ts';
import { type Sabotage, type SimNode, SimWorld } from './world/sim-world.ts';
import { type Fate, fair, type Weather } from './world/wire.ts';

/** What happens in a history, at an instant after its start. */
export type Act = { readonly atMs: number } & (
  | { readonly type: 'command'; readonly player: number; readonly command: CommandSketch | FieldCommand }
  | TransactionAct
  /** An operator changes how long beds grow. */
  | { readonly type: 'rules'; readonly growMs: number }
  /** `isBusy`: at the next moment at which it is in the middle of a batch. */
  | { readonly type: 'kill'; readonly node: number; readonly isBusy: boolean; readonly awayMs: number }
  | { readonly type: 'freeze'; readonly node: number; readonly forMs: number }
  | { readonly type: 'flush' }
  | { readonly type: 'reshard'; readonly shards: number }
  | { readonly type: 'old copy'; readonly agoMs: number }
  | { readonly type: 'redis away'; readonly forMs: number }
  | { readonly type: 'database away'; readonly forMs: number }
);

export interface History {
  readonly seed: number;
  readonly isStormy: boolean;
  /** No process dies between a commit and its index update: then the sweeper has nothing to find. */
  readonly isKind?: boolean;
  readonly acts: readonly Act[];
}

/** A command with everything that its sender learned. */
export interface Asked {
  readonly playerId: string;
  readonly commandId: string;
  readonly command: Command | FieldCommand;
  /** For the first time. */
  readonly askedAtMs: number;
  outcome: { readonly reply: Reply } | { readonly rejection: Rejection } | undefined;
  /** When the try that has this outcome was sent, and when the outcome came. */
  sentAtMs: number;
  endedAtMs: number;
  tries: number;
}

export interface Ended {
  readonly world: SimWorld;
  readonly asked: readonly Asked[];
  readonly transactions: readonly AskedTransaction[];
  /** When the last fault was over. */
  readonly calmAtMs: number;
  /** There was none. */
  readonly wasCalm: boolean;
}

const ACTIVE_MS = 4000;
const REST_MS = 30_000;
const PLAYERS = 3;
const NODES = 3;
/** A process that died is started again after so long. */
const BACK_MS = 700;
/** How long a client waits for an answer. */
const PATIENCE_MS = 2500;

/** Meals of seconds. */
const petRules = {
  limits: { petsPerPlayer: 3, autoFeedsPerPet: 4, undoMs: 400, boostMs: 3_600_000 },
  starter: { items: { hay: 5, treat: 3, cut: 3, fast: 2, again: 5 } },
  foods: { hay: { workMs: 2000, xp: 3 }, treat: { workMs: 300, xp: 1 } },
  cards: {
    cut: { effect: 'cut', workMs: 700 },
    fast: { effect: 'rate', rate: 2, lastsMs: 1000 },
    again: { effect: 'repeat', times: 1 },
  },
} as const satisfies Omit<Rules, 'field'>;
export const catalogue: Catalogue = { ...defaultCatalogue, ...petRules };
/** The field takes and gives what pets eat. */
export const rules = {
  ...petRules,
  field: { seed: 'treat', crop: 'hay', hurry: 'cut', growMs: 900, hurryMs: 400 },
} as const satisfies Rules;
/** What every process plays by. */
export const modules = petsAndField(catalogue, rules.field);

const instant = fc.integer({ min: 0, max: ACTIVE_MS });
const awayMs = fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 300, max: 6000 }));
const node = fc.nat(NODES - 1);
const ofPets = commandArbitrary.filter(({ type }) => type !== 'home:grant' && type !== 'home:take');
/** Of the field's sort. */
export const ofField: fc.Arbitrary<FieldCommand> = fc.record({
  type: fc.constantFrom('field:sow', 'field:sow', 'field:hurry'),
  bed: fc.constantFrom(...BEDS),
});
const command = fc.record({
  atMs: instant,
  type: fc.constant('command' as const),
  player: fc.nat(PLAYERS - 1),
  command: fc.oneof({ weight: 5, arbitrary: ofPets }, { weight: 1, arbitrary: ofField }),
});
const kill = fc.record({ atMs: instant, type: fc.constant('kill' as const), node, isBusy: fc.boolean(), awayMs });
const flush = fc.record({ atMs: instant, type: fc.constant('flush' as const) });
const disturbance: fc.Arbitrary<Act> = fc.oneof(
  { weight: 3, arbitrary: kill },
  { weight: 2, arbitrary: fc.record({ atMs: instant, type: fc.constant('freeze' as const), node, forMs: awayMs }) },
  { weight: 1, arbitrary: flush },
  {
    weight: 1,
    arbitrary: fc.record({
      atMs: instant,
      type: fc.constant('reshard' as const),
      shards: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ atMs: instant, type: fc.constant('old copy' as const), agoMs: awayMs }) },
  { weight: 1, arbitrary: fc.record({ atMs: instant, type: fc.constant('redis away' as const), forMs: awayMs }) },
  { weight: 1, arbitrary: fc.record({ atMs: instant, type: fc.constant('database away' as const), forMs: awayMs }) },
);
const newRules = fc.record({
  atMs: instant,
  type: fc.constant('rules' as const),
  growMs: fc.integer({ min: 300, max: 1500 }),
});
const orders: fc.Arbitrary<Act> = fc.oneof({ weight: 12, arbitrary: command }, { weight: 1, arbitrary: newRules });
/** Of players, operators, and the game. */
const ordersWith = (...ends: readonly End[]): fc.Arbitrary<readonly Act[]> => {
  const transactions = fc.array(transactionAt(ACTIVE_MS, ...ends), { maxLength: 2, size: 'max' });
  return fc
    .tuple(fc.array(orders, { maxLength: 32, size: 'max' }), transactions)
    .map((both): readonly Act[] => both.flat());
};
const actsWith = (given: fc.Arbitrary<readonly Act[]>, disturbances: fc.Arbitrary<Act>, maxLength: number) =>
  fc.tuple(given, fc.array(disturbances, { maxLength, size: 'max' })).map((both): readonly Act[] => both.flat());
/** A process that does not know of its commit does not update the index: only the sweeper heals that. */
const kindOrders = ordersWith('committed', 'committed', 'committed', 'rolled back');
const roughOrders = ordersWith('committed', 'committed', 'rolled back', 'answer lost');
const seed = fc.integer({ min: 0, max: 2 ** 31 - 1 });

/** Commands and everything that may happen to servers. */
export const rough: fc.Arbitrary<History> = fc.record({
  seed,
  isStormy: fc.boolean(),
  acts: actsWith(roughOrders, disturbance, 8),
});
/** Commands, and all servers do well. */
export const calm: fc.Arbitrary<History> = fc.record({ seed, isStormy: fc.constant(false), acts: kindOrders });
/** Processes die, but not in the one moment which only the sweeper heals. */
export const kind: fc.Arbitrary<History> = fc.record({
  seed,
  isStormy: fc.constant(false),
  isKind: fc.constant(true),
  acts: actsWith(kindOrders, kill, 4),
});

/** The index loses everything, and no process dies. */
export const emptied: fc.Arbitrary<History> = fc.record({
  seed,
  isStormy: fc.constant(false),
  isKind: fc.constant(true),
  acts: actsWith(kindOrders, flush, 2),
});

const storm: Weather = { refused: 2, answerLost: 3, doubled: 6, slow: 1 };

/** Plays a history to its quiet end. */
export const playHistory = async (history: History, sabotage: Sabotage = {}, fate?: Fate): Promise<Ended> => {
  const { seed, isStormy, isKind = false, acts } = history;
  const kernel = new Kernel(seed);
  const onDeath = (): void => {
    calmAfter(BACK_MS);
    kernel.after(BACK_MS, () => void world.boot());
  };
  const world = new SimWorld({ kernel, modules, shards: 2, sabotage, fate, onDeath });
  for (let number = 0; number < NODES; number += 1) world.boot();
  if (isStormy) {
    world.toDatabase.weather = { ...storm, doubled: 0 };
    world.toRedis.weather = storm;
    world.deafness = 10;
  }
  const asked: Asked[] = [];
  const transactions: AskedTransaction[] = [];
  let calmAtMs = START_MS + (isStormy ? ACTIVE_MS : 0);
  const calmAfter = (delayMs: number): void => {
    calmAtMs = Math.max(calmAtMs, kernel.nowMs + delayMs);
  };
  kernel.after(ACTIVE_MS, () => {
    world.toDatabase.weather = fair;
    world.toRedis.weather = fair;
    world.deafness = 0;
  });
  for (const [place, each] of acts.entries()) {
    kernel.after(each.atMs, () => {
      if (each.type === 'command') asked.push(begin(world, each, place));
      else if (each.type === 'transaction') transactions.push(beginTransaction(world, each, `transaction-${place}`));
      else if (each.type === 'rules') world.database.changeRules(each.growMs);
      else disturb(world, each, { calmAfter, isKind });
    });
  }
  await kernel.run(START_MS + ACTIVE_MS);
  calmAtMs = Math.max(calmAtMs, world.calls.slowUntilMs);
  const endMs = Math.max(START_MS + ACTIVE_MS, calmAtMs) + REST_MS;
  await kernel.run(calmAtMs);
  while (kernel.nowMs < endMs && !isQuiet(world, [...asked, ...transactions])) await kernel.run(kernel.nowMs + 500);
  const wasCalm = !isStormy && !fate && acts.every(isOrder);
  return { world, asked, transactions, calmAtMs, wasCalm };
};

/** Nothing is due any more, no delivery is left that may come again, and everybody has an answer. */
const isQuiet = ({ database, redis }: SimWorld, asked: readonly { readonly outcome: unknown }[]): boolean => {
  const inForce = database.generations.inForce(1);
  return (
    asked.every(({ outcome }) => outcome !== undefined) &&
    database.timers.scheduled().length === 0 &&
    redis.entries(inForce).length === 0 &&
    redis.unacked(inForce) === 0
  );
};

const begin = (world: SimWorld, act: Extract<Act, { type: 'command' }>, place: number): Asked => {
  const playerId = `player-${act.player}`;
  const { database } = world;
  const home = database.homes.get(playerId)?.home ?? { ...newHome(playerId), items: catalogue.starter.items };
  const command = 'bed' in act.command ? act.command : commandOf(act.command, catalogue, home);
  const asked: Asked = {
    playerId,
    commandId: `command-${place}`,
    command,
    outcome: undefined,
    askedAtMs: database.nowMs(),
    sentAtMs: database.nowMs(),
    endedAtMs: Number.POSITIVE_INFINITY,
    tries: 0,
  };
  ask(world, asked);
  return asked;
};

/** As a client does: again with the same id, of any process that is there, until there is an answer. */
const ask = (world: SimWorld, asked: Asked): void => {
  const { kernel } = world;
  const to = world.nodes[kernel.random.below(world.nodes.length)];
  asked.tries += 1;
  const sentAtMs = world.database.nowMs();
  const again = (): void => {
    if (asked.outcome === undefined) ask(world, asked);
  };
  if (!to) return void kernel.after(200, again);
  const giveUp = kernel.after(PATIENCE_MS, again);
  handle(to, asked).then(
    (outcome) => {
      if (!to.process.isAlive || asked.outcome !== undefined) return;
      if ('rejection' in outcome && outcome.rejection.retryable) return;
      giveUp();
      asked.outcome = outcome;
      asked.sentAtMs = sentAtMs;
      asked.endedAtMs = world.database.nowMs();
    },
    () => undefined,
  );
};

const handle = async ({ service, hears }: SimNode, { playerId, commandId, command }: Asked) => {
  const [outcome] = await service.handle([{ playerId, commandId, command: hears(command) as typeof command }]);
  if (outcome === undefined) throw new Error('an order without an outcome');
  return outcome.ok ? { reply: outcome.value as Reply } : { rejection: outcome.error };
};

/** Whether this is the moment to die. */
const isMoment = ({ process }: SimNode, act: { readonly isBusy: boolean }, { isKind }: Manner): boolean => {
  const isSaving = ['save', 'save timers', 'commit', 'put', 'remove'].some((what) => process.isAsking(what));
  const isBusy = ['lock', 'read', INSERT_EFFECTS].some((what) => process.isAsking(what));
  return (!isKind || !isSaving) && (!act.isBusy || isBusy);
};

type Disturbance = Exclude<Act, { type: 'command' | 'transaction' | 'rules' }>;

/** Not a fault. */
const isOrder = (act: Act): boolean =>
  act.type === 'command' || act.type === 'rules' || (act.type === 'transaction' && act.end !== 'answer lost');

interface Manner {
  /** Says when a fault will be over. */
  readonly calmAfter: (delayMs: number) => void;
  readonly isKind: boolean;
}

const disturb = (world: SimWorld, act: Disturbance, manner: Manner): void => {
  const { calmAfter } = manner;
  const { kernel, redis, toRedis, toDatabase, database } = world;
  if (act.type === 'kill') {
    const victim = world.nodes[act.node % Math.max(1, world.nodes.length)];
    if (!victim) return;
    if (!isMoment(victim, act, manner) && kernel.nowMs < START_MS + ACTIVE_MS) {
      kernel.after(0.5, () => disturb(world, act, manner));
      return;
    }
    world.kill(victim);
    calmAfter(act.awayMs);
    kernel.after(act.awayMs, () => void world.boot(kernel.random.below(20_000) - 10_000));
  } else if (act.type === 'freeze') {
    world.nodes[act.node % Math.max(1, world.nodes.length)]?.process.freeze(act.forMs);
    calmAfter(act.forMs);
  } else if (act.type === 'flush') {
    redis.flush();
    calmAfter(0);
  } else if (act.type === 'reshard') {
    database.generations.want(act.shards);
    calmAfter(0);
  } else if (act.type === 'old copy') {
    const restore = redis.backUp();
    calmAfter(act.agoMs);
    kernel.after(act.agoMs, restore);
  } else if (act.type === 'redis away') {
    toRedis.isDown = true;
    calmAfter(act.forMs);
    kernel.after(act.forMs, () => {
      toRedis.isDown = false;
    });
  } else {
    toDatabase.isDown = true;
    database.endAll();
    calmAfter(act.forMs);
    kernel.after(act.forMs, () => {
      toDatabase.isDown = false;
    });
  }
};
