import { type Home, newHome } from '../shared/home.ts';
import type { Catalogue } from '../shared/pets/catalogue.ts';
import type { Command, HomeEvent } from '../shared/pets/protocol.ts';
import { commandOf, type History } from './arbitraries.ts';
import { fold, type Judgement, judge, openHome, settle } from './pets-engine.ts';

export const PLAYER_ID = 'anna';
export const START_AT_MS = 1_000;
/** Longer than all work under small rules. */
export const REST_MS = 1_000;

/** One command, the home before it, and its outcome. */
export interface Turn {
  readonly before: Home;
  readonly command: Command;
  readonly commandId: string;
  readonly catalogue: Catalogue;
  readonly nowMs: number;
  readonly judgement: Judgement;
  /** The events of settling, then those of the command. */
  readonly events: readonly HomeEvent[];
}

export interface Played {
  readonly turns: readonly Turn[];
  /** The home after the last command. */
  readonly home: Home;
  /** The home after all work has ended. */
  readonly rested: Home;
  /** From the starter items to the end. */
  readonly log: readonly HomeEvent[];
}

export interface PlayOptions {
  /** Rules that are in force from the middle of the history on. */
  readonly laterCatalogue?: Catalogue;
  /** The home is settled at these times after the start. */
  readonly looksAfterMs?: readonly number[];
  /** How long after the last command all work has ended. Default: enough for small rules. */
  readonly restMs?: number;
}

/** Plays a history from a new home to its end. */
export const play = (catalogue: Catalogue, history: History, options: PlayOptions = {}): Played => {
  const { restMs = REST_MS } = options;
  const looks = (options.looksAfterMs ?? []).map((afterMs) => START_AT_MS + afterMs).sort((a, b) => a - b);
  const log: HomeEvent[] = [...openHome(newHome(PLAYER_ID), catalogue, START_AT_MS)];
  const turns: Turn[] = [];
  let home = fold(newHome(PLAYER_ID), log);
  let nowMs = START_AT_MS;

  const lookUntil = (untilMs: number): void => {
    for (let at = looks[0]; at !== undefined && at <= untilMs; at = looks[0]) {
      looks.shift();
      const found = settle(home, at);
      log.push(...found);
      home = fold(home, found);
    }
  };
  for (const [index, { afterMs, command: sketch }] of history.entries()) {
    nowMs += afterMs;
    lookUntil(nowMs);
    const rules = index * 2 < history.length ? catalogue : (options.laterCatalogue ?? catalogue);
    // The meaning of a sketch must not depend on earlier settling.
    const command = commandOf(sketch, rules, fold(home, settle(home, nowMs)));
    const asked = { catalogue: rules, command, commandId: `command-${index}`, nowMs };
    const judgement = judge({ ...asked, home });
    const events = [...judgement.settled, ...(judgement.decision.ok ? judgement.decision.value : [])];
    turns.push({ ...asked, before: home, judgement, events });
    log.push(...events);
    home = judgement.home;
  }
  lookUntil(nowMs + restMs);
  const last = settle(home, nowMs + restMs);
  return { turns, home, rested: fold(home, last), log: [...log, ...last] };
};
