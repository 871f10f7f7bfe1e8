import { setTimeout as pass } from 'node:timers/promises';
import type { PostgresServer } from '../support/postgres/postgres-server.ts';
import {
  answerTimes,
  asked,
  askedBefore,
  judgeAnswers,
  judgeEnd,
  judgeJoins,
  latenessOf,
  type Spread,
  servingMs,
} from './answers.ts';
import { judgeEvidence } from './checker/judge-evidence.ts';
import { type Attempt, type Evidence, isDue, type ToldEvent, type Violation } from './evidence/evidence.ts';
import { readEvidence } from './evidence/read-evidence.ts';
import { Load } from './load/load.ts';
import { Operators } from './load/operators.ts';
import { randomOf } from './play/random.ts';
import { rules } from './play/rules.ts';
import { until } from './play/within.ts';
import type { Scenario, Spoken } from './scenarios/scenario.ts';
import { StockWatch } from './stock-watch.ts';
import { hang, type ServerNode } from './world/node.ts';
import { onDatabase, startWorld, type World } from './world/world.ts';

export interface RunOptions {
  readonly postgres: PostgresServer;
  readonly seed: number;
  readonly players: number;
  /** Whether workers ask a service that hangs all the while. Default: only in scenarios about that. */
  readonly hangs?: boolean;
  /** What is going on. */
  readonly tell?: (what: string) => void;
}

export interface Run {
  readonly scenario: string;
  readonly seed: number;
  readonly feedings: number;
  readonly commands: number;
  /** Of the other module of the same homes. */
  readonly harvests: number;
  /** Orders of items by operators. */
  readonly grants: number;
  /** Changes of rules that operators made. */
  readonly rulesChanges: number;
  /** In the logs; each log was followed by a player. */
  readonly events: number;
  readonly players: number;
  /** How often a player joined again after a connection was lost. */
  readonly comebacks: number;
  /** How often the stock was judged while the players played. */
  readonly stockLooks: number;
  /** Those of them since the fault began. */
  readonly looksUnderFault: number;
  /** After each return of what was away: until the last gateway accepted a command. */
  readonly servingMs: readonly number[];
  /** What else was tried. */
  readonly counted: readonly Spoken[];
  readonly violations: readonly Violation[];
  readonly lateness: { readonly committed: Spread; readonly seen: Spread };
  readonly boundMs: number;
  /** Of living gateways, while the fault lasted. */
  readonly answers: Spread;
  /** From the beginning of the fault to the end of the last delay of a second or more. */
  readonly recoveryMs: number;
  /** Commands that were sent again. */
  readonly resent: number;
}

const WARM_UP_MS = 2_500;
const AFTERWARDS_MS = 2_000;
/** The longest chain, and the latest that anything may be. */
const QUIET_MS = 20_000;
/** A player that missed a message notices within a few seconds. */
const SEEN_MS = 10_000;

/** Plays one scenario from the start of the servers to the verdict of the checker. */
export const runScenario = async (scenario: Scenario, options: RunOptions): Promise<Run> => {
  const { postgres, seed, players, hangs = false, tell = () => undefined } = options;
  tell('starts');
  // The SDK tells of each connection that is lost. For good: another scenario may run beside this one.
  Object.assign(console, { info: () => undefined, warn: () => undefined });
  const world = await startWorld({ ...scenario, postgres, hangs });
  const load = new Load({ players, seed, gateways: world.gateways });
  const stock = new StockWatch(world);
  try {
    stock.start();
    await load.start();
    const random = randomOf(seed);
    const operators = new Operators({
      gateways: world.gateways,
      players: [...load.seen().keys()],
      random: random.fork('operators'),
    });
    operators.start();
    if (hangs) await Promise.all(world.nodes.filter(({ role }) => role === 'worker').map(hang));
    const looksBefore = stock.looks;
    tell('plays');
    await pass(WARM_UP_MS);
    // On a busy machine later.
    await until('operators give items and change rules', QUIET_MS, () => operators.haveActed);
    tell('strikes');
    const struckAtMs = Date.now();
    const looksAtStrike = stock.looks;
    const struck = await scenario.strike({ world, random: random.fork(scenario.name) });
    const during = { fromMs: struckAtMs, toMs: Date.now(), struckGateway: struck.node?.address };
    tell('recovers');
    await pass(AFTERWARDS_MS);
    await operators.rest(QUIET_MS);
    await load.rest(QUIET_MS);
    const stockLooks = stock.looks - looksBefore;
    const looksUnderFault = stock.looks - looksAtStrike;
    await ended(world);
    await load.comeBack(QUIET_MS);
    await seen(world, load);
    await stock.stop();
    tell('is judged');
    const boundMs = Math.round(scenario.boundMs + (struck.awayMs ?? 0));
    const evidence = await onDatabase(world, (client) =>
      readEvidence(client, operators.beside(load.witnesses()), { rules, growths: operators.growths }),
    );
    const asides = asked(load.attempts(), during);
    const serving = servingMs(load.attempts(), { gateways: world.gateways, backAtMs: struck.backAtMs ?? [] });
    return {
      scenario: scenario.name,
      seed,
      boundMs,
      feedings: countIn(evidence, 'feeding-started'),
      harvests: countIn(evidence, 'field/ripened'),
      grants: countIn(evidence, 'items-granted', ({ commandId }) => commandId !== undefined),
      rulesChanges: operators.growths.length - 1,
      commands: load.commands,
      events: eventsIn(evidence),
      players,
      comebacks: load.comebacks,
      stockLooks,
      looksUnderFault,
      servingMs: serving,
      counted: struck.counted ?? [],
      violations: [
        ...stock.violations,
        ...operators.violations,
        ...judgeEvidence(evidence, boundMs),
        ...judgeEnd(evidence.players),
        ...(scenario.othersGoOn ? judgeAnswers(asides, askedBefore(load.attempts(), during)) : []),
        ...(scenario.othersGoOn ? judgeJoins(load.refusedJoins(), during) : []),
        ...judgeServing(serving),
        ...exits(world.nodes),
      ],
      lateness: latenessOf(evidence),
      answers: answerTimes(asides),
      recoveryMs: recoveryMs(evidence, load.attempts(), struckAtMs),
      resent: evidence.players.flatMap((player) => player.commands).filter(({ attempts }) => attempts.length > 1)
        .length,
    };
  } finally {
    load.leave();
    await stock.stop();
    await world.stop();
  }
};

/** Until nothing eats any more, with no player there; the checker reports what does not end. */
const ended = (world: World): Promise<void> =>
  onDatabase(world, async (client) => {
    await until('nothing eats', QUIET_MS, async () => {
      const { rowCount } = await client.query(`select from kibble.thing where due_at is not null limit 1`);
      return rowCount === 0;
    });
  }).catch(() => undefined);

/** Until every player has seen everything, in events and in the state. */
const seen = (world: World, load: Load): Promise<void> =>
  onDatabase(world, async (client) => {
    const { rows } = await client.query('select player_id, seq from kibble.home');
    await until('everything is seen', SEEN_MS, () => {
      const told = [load.seen(), load.shown()];
      return rows.every((row) => told.every((newest) => (newest.get(row.player_id) ?? 0) >= Number(row.seq)));
    });
  }).catch(() => undefined);

const countIn = (
  { players }: Evidence,
  type: ToldEvent['type'],
  isIt: (event: ToldEvent) => boolean = () => true,
): number =>
  players.reduce((sum, { log }) => sum + log.filter(({ event }) => event.type === type && isIt(event)).length, 0);

const eventsIn = ({ players }: Evidence): number => players.reduce((sum, { log }) => sum + log.length, 0);

/** What takes longer than this is still disturbed. */
const DISTURBED_MS = 1_000;

/** How long after `struckAtMs` an answer or a completion still came a second late or more; 0 when none did. */
const recoveryMs = ({ players }: Evidence, attempts: readonly Attempt[], struckAtMs: number): number => {
  const lateAnswers = attempts
    .filter(({ sentAtMs, endedAtMs }) => endedAtMs - sentAtMs >= DISTURBED_MS)
    .map(({ endedAtMs }) => endedAtMs);
  const lateCompletions = players.flatMap(({ log }) =>
    log.flatMap(({ event, committedAtMs }) =>
      isDue(event) && committedAtMs - event.at >= DISTURBED_MS ? committedAtMs : [],
    ),
  );
  return Math.max(struckAtMs, ...lateAnswers, ...lateCompletions) - struckAtMs;
};

/** So long after a store is back all gateways serve. */
const SERVING_MS = 5_000;

const judgeServing = (times: readonly number[]): readonly Violation[] =>
  times
    .filter((ms) => ms > SERVING_MS)
    .map((ms) => ({ playerId: '', what: `a gateway served ${ms} ms after the store was back` }));

/** No fault of a store ends a process. */
const exits = (nodes: readonly ServerNode[]): readonly Violation[] =>
  nodes.filter(({ hasExited }) => hasExited).map(({ name }) => ({ playerId: name, what: 'ended by itself' }));
