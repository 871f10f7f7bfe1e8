import { expect } from 'vitest';
import type { HomeService } from '../../../server/home/home-service.ts';
import { OutcomeUnknown } from '../../../server/home/model/faults.ts';
import type { HomeOrder } from '../../../server/home/model/homes.ts';
import { limits } from '../../../server/settings/config.ts';
import type { HomeEvent } from '../../../shared/event.ts';
import { countOf } from '../../../shared/items.ts';
import type { Fate } from '../postgres/lossy-commits.ts';
import { drawsOf, playWorks, STOCK, type TwoRules } from './play-works.ts';
import { type Intent, START_AT_MS } from './works-histories.ts';
import { WorksOracle } from './works-oracle.ts';

/** Two commits in ten do not arrive, or their answer does not; then the process is gone, and another one comes. */
export const FATES: readonly Fate[] = [
  'pass',
  'pass',
  'pass',
  'swallow',
  'pass',
  'pass',
  'pass',
  'pass',
  'pass',
  'cut',
];

/** Where the home of a history is kept: by its own clock, and with a fate for each commit. */
export interface SharedHome {
  readonly playerId: string;
  /** A process that has just begun. */
  boot(): HomeService;
  advanceTo(nowMs: number): void;
  /** These are in force from now on, also in processes that got no message. Missing: rules stay. */
  changeRules?(rules: TwoRules): void;
  /** The asked command, after the reply of its store. */
  run<Value>(ask: () => Promise<Value>): Promise<Value>;
}

/** A history, and rules that change while it is played. */
export interface SharedTrial {
  readonly rules: TwoRules;
  readonly later: TwoRules;
  readonly history: readonly Intent[];
}

export interface Tally {
  /** Processes that died at a commit. */
  deaths: number;
  /** Works that were finished. */
  finished: number;
}

/**
 * Plays a history of two modules that compete for items on a store, command by command, each until its outcome is known, on
 * two processes in turn.
 * The log, the stock and each reply are held against the rules played in one piece, and against the oracle.
 */
export const playShared = async (
  home: SharedHome,
  { trial: { rules, later, history }, tally }: { readonly trial: SharedTrial; readonly tally: Tally },
): Promise<void> => {
  const { playerId } = home;
  const played = playWorks(history, { rules, later: home.changeRules ? later : rules, playerId });
  const oracle = new WorksOracle(STOCK, START_AT_MS, drawsOf(played.log));
  const processes = [home.boot(), home.boot()];
  let turns = 0;
  /** Asks again, each time a new process, until the outcome is known. */
  const until = async <Value>(ask: (homes: HomeService) => Promise<Value>): Promise<Value> => {
    turns += 1;
    for (;;) {
      const homes = processes[turns % 2] as HomeService;
      try {
        return await home.run(() => ask(homes));
      } catch (error) {
        if (!(error instanceof OutcomeUnknown)) throw error;
        tally.deaths += 1;
        processes[turns % 2] = home.boot();
      }
    }
  };
  let inForce = rules;
  for (const [at, step] of played.steps.entries()) {
    home.advanceTo(step.nowMs);
    oracle.waitUntil(step.nowMs);
    if (step.rules !== inForce) home.changeRules?.(step.rules);
    inForce = step.rules;
    if (step.command || step.isAccepted) expect(oracle.play(inForce, step.command)).toBe(step.isAccepted);
    const order: HomeOrder = { playerId, commandId: `command-${at}`, command: step.order };
    const [outcome] = await until((homes) => homes.handle([order]));
    const code = outcome?.ok === false ? outcome.error.code : undefined;
    expect([order, outcome?.ok, code]).toEqual([order, step.isAccepted, step.code]);
  }
  home.advanceTo(played.endMs);
  oracle.waitUntil(played.endMs);
  await until((homes) => homes.look([playerId]));
  const log: HomeEvent[] = [];
  for (let isTruncated = true; isTruncated; ) {
    const afterSeq = log.at(-1)?.seq ?? 1;
    const page = await until((homes) => homes.sync(playerId, { afterSeq, limit: limits.events.pageMax }));
    if (page.ok) log.push(...page.value.events);
    isTruncated = page.ok && page.value.truncated === true;
  }
  expect(log).toEqual(played.log);
  const works = log.filter(({ type }) => /^(town|farm)\//.test(type));
  expect(works.map(({ type, thing, at, items = {} }) => ({ what: `${type} ${thing}`, at, items }))).toEqual(
    oracle.lines,
  );
  const [view] = await until((homes) => homes.look([playerId]));
  for (const item of Object.keys(STOCK)) {
    expect([item, countOf(view?.home.items ?? {}, item)]).toEqual([item, oracle.stock[item] ?? 0]);
  }
  tally.finished += works.filter(({ type }) => type.endsWith('/finished')).length;
};
