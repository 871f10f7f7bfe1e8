import { systemPlatform } from '../client/follow/platform.ts';
import type { Terminal } from '../server/cli/console/terminal.ts';
import { LoadPlayer } from './load-player.ts';
import { Measures } from './measures.ts';
import type { LoadWorld } from './observed-client.ts';
import { chanceOf, type Play } from './play.ts';
import type { LoadPackages } from './sdk.ts';

interface Pace {
  /** All players together, after the ramp-up. */
  readonly perSec: number;
  /** The rate grows evenly from nothing during this time. */
  readonly rampUpMs: number;
}

export interface LoadOptions extends Pace {
  readonly url: string;
  readonly players: number;
  /** The time of the load after the ramp-up. */
  readonly forMs: number;
  readonly seed: number;
  readonly play: Play;
}

export interface LoadProgress {
  readonly measures: Measures;
  readonly isMeasuring: boolean;
  /** The remaining time of ramp-up and load. */
  readonly leftMs: number;
}

export interface LoadOutcome {
  /** The prefix of each command's id: `<run>-<number>`. */
  readonly run: string;
  readonly measures: Measures;
  /** How long times were measured. */
  readonly measuredMs: number;
  /** Due commands that were not sent, because no free player had a command to send. */
  readonly unsent: number;
  readonly wasStopped: boolean;
}

const JOINING_AT_ONCE = 32;
const POLL_MS = 10;
const LAST_ANSWERS_MS = 10_000;

/** Lets players join and give commands at the given pace. The signal stops it in good order. */
export const runLoad = async (
  options: LoadOptions,
  machine: Machine,
  packages: LoadPackages,
  onProgress: (progress: LoadProgress) => void,
): Promise<LoadOutcome> => {
  const { players, rampUpMs, forMs, seed } = options;
  const { signal, monotonicMs } = machine;
  const run = machine.uniqueName();
  const measures = new Measures(packages.createHistogram);
  const startedAtMs = monotonicMs();
  const passedMs = (): number => monotonicMs() - startedAtMs;
  const over = new AbortController();
  const world: LoadWorld = {
    ...worldOf(options, machine, packages, run),
    measures,
    isMeasuring: () => passedMs() >= rampUpMs,
    isOver: () => over.signal.aborted || signal.aborted,
  };
  const free = new Set<Pick<LoadPlayer, 'play'>>();
  const all = Array.from({ length: players }, (_, at) => {
    const player: LoadPlayer = new LoadPlayer(world, chanceOf(seed + at * 7919), () => free.add(player));
    return player;
  });
  const entering = enterAll(all, world, (at) => (rampUpMs * at) / players - passedMs());
  const underWay = await playAll({ options, free, world, signal, startedAtMs, onProgress });
  const measuredMs = Math.max(0, passedMs() - rampUpMs);
  const wasStopped = signal.aborted;

  await within(LAST_ANSWERS_MS, Promise.all(underWay));
  over.abort();
  for (const player of all) player.leave();
  // Commands without a reply end without one.
  await Promise.all([...underWay, entering]);
  // A player to which a command was given may have had none to send.
  const unsent = wasStopped ? 0 : commandsWithin(options, forMs) - measures.sent;
  return { run, measures, measuredMs, unsent, wasStopped };
};

type Machine = Pick<Terminal, 'monotonicMs' | 'pause' | 'signal' | 'uniqueName'>;

const worldOf = ({ play, url }: LoadOptions, { monotonicMs, pause }: Machine, packages: LoadPackages, run: string) => {
  const numbers = countUp();
  return {
    play,
    monotonicMs,
    pause,
    newClient: () => {
      const client = new packages.Client(url);
      // All clients of a process share a storage: a new one would begin with the token of the last sign-in.
      client.auth.token = '';
      return client;
    },
    nextCommandId: () => `${run}-${numbers.next().value}`,
  };
};

function* countUp(): Generator<number, never> {
  for (let number = 1; ; number += 1) yield number;
}

interface Playing {
  readonly options: LoadOptions;
  readonly free: Set<Pick<LoadPlayer, 'play'>>;
  readonly world: Pick<LoadWorld, 'monotonicMs' | 'pause' | 'measures' | 'isMeasuring'>;
  readonly signal: AbortSignal;
  readonly startedAtMs: number;
  readonly onProgress: (progress: LoadProgress) => void;
}

/** Gives each due command to a free player. Returns those without a reply. */
export const playAll = async ({ options, free, world, signal, startedAtMs, onProgress }: Playing) => {
  const due = commandsWithin(options, options.forMs);
  const endMs = options.rampUpMs + options.forMs;
  const passedMs = (): number => world.monotonicMs() - startedAtMs;
  const underWay = new Set<Promise<void>>();
  let given = 0;
  for (let isLast = false; !isLast && !signal.aborted; ) {
    // The last turn gives what was due just before the end.
    isLast = passedMs() >= endMs;
    for (const player of free) {
      if (given >= due || dueMsOf(given, options) > passedMs()) break;
      free.delete(player);
      const playing = player.play(startedAtMs + dueMsOf(given, options)).finally(() => underWay.delete(playing));
      underWay.add(playing);
      given += 1;
    }
    onProgress({ measures: world.measures, isMeasuring: world.isMeasuring(), leftMs: endMs - passedMs() });
    const nextMs = given < due ? dueMsOf(given, options) - passedMs() : POLL_MS;
    if (!isLast) await world.pause(Math.min(Math.max(nextMs, 1), POLL_MS));
  }
  return underWay;
};

/** Also after a stop: commands that are under way get their time. */
const within = async (ms: number, done: Promise<unknown>): Promise<void> => {
  let cancel = (): void => undefined;
  const over = new Promise<void>((resolve) => {
    cancel = systemPlatform.after(ms, resolve);
  });
  await Promise.race([done, over]);
  cancel();
};

/** Lets players join at their times, some at once. */
const enterAll = async (
  players: readonly LoadPlayer[],
  { pause, isOver }: LoadWorld,
  waitMsOf: (at: number) => number,
): Promise<void> => {
  const waiting = players.entries();
  const lane = async (): Promise<void> => {
    for (const [at, player] of waiting) {
      await pause(Math.max(0, waitMsOf(at)));
      if (isOver()) return;
      await player.enter();
    }
  };
  await Promise.all(Array.from({ length: JOINING_AT_ONCE }, lane));
};

/**
 * When command number `count` (from 0) is due, in ms from the start. Commands are due by the clock, not after earlier
 * replies: a server that stands still cannot reduce the load that would show it.
 */
export const dueMsOf = (count: number, { perSec, rampUpMs }: Pace): number => {
  const ofRampUp = (perSec * rampUpMs) / 2000;
  if (count < ofRampUp) return Math.sqrt((2000 * count * rampUpMs) / perSec);
  return rampUpMs + ((count - ofRampUp) * 1000) / perSec;
};

/** The number of commands, if they come for `forMs` after the ramp-up. */
export const commandsWithin = ({ perSec, rampUpMs }: Pace, forMs: number): number =>
  Math.ceil((perSec * (rampUpMs / 2 + forMs)) / 1000);
