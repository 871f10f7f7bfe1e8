import fc from 'fast-check';
import { type Catalogue, defaultCatalogue } from '../../shared/catalogue.ts';
import { newHome } from '../../shared/home.ts';
import type { Command, Rejection, Reply } from '../../shared/protocol.ts';
import { type CommandSketch, commandArbitrary, commandOf } from '../support/arbitraries.ts';
import { Kernel, START_MS } from './kernel.ts';
import { type Sabotage, type SimNode, SimWorld } from './sim-world.ts';
import { fair, type Weather } from './wire.ts';

/** What happens in a history, at an instant after its start. */
export type Act = { readonly atMs: number } & (
  | { readonly type: 'command'; readonly player: number; readonly command: CommandSketch }
  | { readonly type: 'kill'; readonly node: number; readonly awayMs: number }
  | { readonly type: 'freeze'; readonly node: number; readonly forMs: number }
  | { readonly type: 'flush' }
  | { readonly type: 'old copy'; readonly agoMs: number }
  | { readonly type: 'redis away'; readonly forMs: number }
  | { readonly type: 'database away'; readonly forMs: number }
);

export interface History {
  readonly seed: number;
  readonly isStormy: boolean;
  readonly acts: readonly Act[];
}

/** A command with everything that its sender learned. */
export interface Asked {
  readonly playerId: string;
  readonly commandId: string;
  readonly command: Command;
  outcome: { readonly reply: Reply } | { readonly rejection: Rejection } | undefined;
  tries: number;
}

export interface Ended {
  readonly world: SimWorld;
  readonly asked: readonly Asked[];
  /** When the last fault was over. */
  readonly calmAtMs: number;
}

const ACTIVE_MS = 6000;
const REST_MS = 30_000;
const PLAYERS = 3;
const NODES = 3;
/** How long a client waits for an answer. */
const PATIENCE_MS = 2500;

const second = 1000;
/** Meals of seconds. */
export const quickCatalogue: Catalogue = {
  ...defaultCatalogue,
  starter: { items: { hay: 4, treat: 2, cut: 3, fast: 2, again: 4 } },
  foods: { hay: { workMs: 2 * second, xp: 3 }, treat: { workMs: 300, xp: 1 } },
  cards: {
    cut: { effect: 'cut', workMs: second },
    fast: { effect: 'rate', rate: 2, lastsMs: second },
    again: { effect: 'repeat', times: 1 },
  },
};

const instant = fc.integer({ min: 0, max: ACTIVE_MS });
const awayMs = fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 300, max: 8000 }));
const node = fc.nat(NODES - 1);
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 24,
    arbitrary: fc.record({
      ...{ atMs: instant, type: fc.constant('command' as const), player: fc.nat(PLAYERS - 1) },
      command: commandArbitrary,
    }),
  },
  { weight: 3, arbitrary: fc.record({ atMs: instant, type: fc.constant('kill' as const), node, awayMs }) },
  { weight: 2, arbitrary: fc.record({ atMs: instant, type: fc.constant('freeze' as const), node, forMs: awayMs }) },
  { weight: 1, arbitrary: fc.record({ atMs: instant, type: fc.constant('flush' as const) }) },
  { weight: 1, arbitrary: fc.record({ atMs: instant, type: fc.constant('old copy' as const), agoMs: awayMs }) },
  { weight: 1, arbitrary: fc.record({ atMs: instant, type: fc.constant('redis away' as const), forMs: awayMs }) },
  { weight: 1, arbitrary: fc.record({ atMs: instant, type: fc.constant('database away' as const), forMs: awayMs }) },
);

export const historyArbitrary: fc.Arbitrary<History> = fc.record({
  seed: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
  isStormy: fc.boolean(),
  acts: fc.array(act, { maxLength: 40, size: 'max' }),
});

const storm: Weather = { refused: 0.02, answerLost: 0.03, doubled: 0.02, slow: 0.01 };

/** Plays a history to its quiet end. */
export const playHistory = async ({ seed, isStormy, acts }: History, sabotage: Sabotage = {}): Promise<Ended> => {
  const kernel = new Kernel(seed);
  const world = new SimWorld({ kernel, catalogue: quickCatalogue, shards: 2, sabotage });
  for (let number = 0; number < NODES; number += 1) world.boot();
  if (isStormy) {
    world.toDatabase.weather = { ...storm, doubled: 0 };
    world.toRedis.weather = storm;
    world.deafness = 0.1;
  }
  const asked: Asked[] = [];
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
      else disturb(world, each, calmAfter);
    });
  }
  await kernel.run(START_MS + ACTIVE_MS);
  const endMs = Math.max(START_MS + ACTIVE_MS, calmAtMs) + REST_MS;
  await kernel.run(calmAtMs);
  while (kernel.nowMs < endMs && !isQuiet(world, asked)) await kernel.run(kernel.nowMs + 500);
  return { world, asked, calmAtMs };
};

/** Nothing is due any more, and everybody has an answer. */
const isQuiet = ({ database, redis }: SimWorld, asked: readonly Asked[]): boolean =>
  asked.every(({ outcome }) => outcome !== undefined) &&
  database.scheduled().length === 0 &&
  redis.entries(database.generation?.shards ?? 1).length === 0;

const begin = (world: SimWorld, act: Extract<Act, { type: 'command' }>, place: number): Asked => {
  const playerId = `player-${act.player}`;
  const { catalogue, database } = world;
  const home = database.homes.get(playerId)?.home ?? { ...newHome(playerId), items: catalogue.starter.items };
  const command = commandOf(act.command, catalogue, home);
  const asked: Asked = { playerId, commandId: `command-${place}`, command, outcome: undefined, tries: 0 };
  ask(world, asked);
  return asked;
};

/** As a client does: again with the same id, of whoever is there, until there is an answer. */
const ask = (world: SimWorld, asked: Asked): void => {
  const { kernel } = world;
  const to = kernel.chance.oneOf(world.nodes);
  asked.tries += 1;
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
    },
    () => undefined,
  );
};

const handle = async ({ service }: SimNode, { playerId, commandId, command }: Asked) => {
  const [outcome] = await service.handle([{ playerId, commandId, command }]);
  if (outcome === undefined) throw new Error('an order without an outcome');
  return outcome.ok ? { reply: outcome.value } : { rejection: outcome.error };
};

type Disturbance = Exclude<Act, { type: 'command' }>;

const disturb = (world: SimWorld, act: Disturbance, calmAfter: (delayMs: number) => void): void => {
  const { kernel, redis, toRedis, toDatabase, database } = world;
  if (act.type === 'kill') {
    const victim = world.nodes[act.node % Math.max(1, world.nodes.length)];
    if (!victim) return;
    world.kill(victim);
    calmAfter(act.awayMs);
    kernel.after(act.awayMs, () => void world.boot(kernel.chance.below(20_000) - 10_000));
  } else if (act.type === 'freeze') {
    world.nodes[act.node % Math.max(1, world.nodes.length)]?.process.freeze(act.forMs);
    calmAfter(act.forMs);
  } else if (act.type === 'flush') {
    redis.flush();
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
