import type { HomeEvent } from '../../../shared/event.ts';
import { type Home, type Thing, thingsOf } from '../../../shared/home.ts';
import { ownerOf, PLAYER_ID, TIMER_ID } from '../../../shared/ids.ts';
import type { OpsHit } from '../../../shared/ops/ops-answers.ts';
import type { OpsThing } from '../../../shared/ops/ops-thing.ts';
import { ok } from '../../../shared/result.ts';
import { runNamed, runOf, subjectOf, thingDueAt, waitingTimeOf } from '../../domain/due-of.ts';
import { unlessFault } from '../../domain/module-fault.ts';
import type { LoadedModule, Modules } from '../../domain/modules.ts';
import type { Timer } from '../../timer/model/timer.ts';
import type { TimerService } from '../../timer/timer-service.ts';
import { type Handles, opsRefusal } from '../perform/ops-call.ts';
import { explainThings, type Folding, type LoggedEvent } from './explain-thing.ts';
import type { WholeLogs } from './thing-reads.ts';
import { workIn } from './work-in.ts';

export interface HomeSeen {
  readonly home: Home;
  readonly epoch: string;
  readonly nowMs: number;
}

export interface PlayerRows extends WholeLogs {
  home(playerId: string): Promise<HomeSeen | undefined>;
  /** Events with `seq < beforeSeq`, newest first. */
  logPage(playerId: string, beforeSeq: number | undefined, limit: number): Promise<readonly LoggedEvent[]>;
  /** The operators of those of these commands that an operator gave. */
  actors(playerId: string, commandIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** All rows about the player, by table. Undefined if there are none. */
  everything(playerId: string): Promise<Readonly<Record<string, unknown>> | undefined>;
}

export interface PlayerSearch {
  playersByPrefix(prefix: string, limit: number): Promise<readonly OpsHit[]>;
  thingsByTitle(prefix: string, limit: number): Promise<readonly OpsHit[]>;
  /** The player's things with this id, of all modules. */
  things(playerId: string, thingId: string): Promise<readonly OpsHit[]>;
}

interface Dependencies extends Folding {
  readonly reads: PlayerRows & PlayerSearch;
  readonly timers: Pick<TimerService, 'find'>;
}

const LOG_PAGE = 50;
const HITS = 20;
/** A player and a thing's id that other players may have too: `ann hall`. */
const THING_OF_PLAYER = /^([A-Za-z0-9._:|@-]{1,128})\s+(\S.*)$/;
/** A player and an id of a thing, a run, or a timer's subject, as the engine makes them. */
const RUN_OR_THING = /^[^~\s]+~\S.*$/;

/** Players for operators: the present rows; a read settles nothing. */
export const playerReads = {
  player: async ({ reads, modules }, { parts: { playerId } }) => {
    const seen = await reads.home(playerId);
    if (!seen) return opsRefusal('player/unknown', { playerId });
    const { home, epoch, nowMs } = seen;
    const things = showThings(modules, home, nowMs);
    return ok({
      playerId,
      seq: home.seq,
      epoch,
      lastAtMs: home.lastAtMs,
      nowMs,
      frozenAtMs: home.frozenAtMs,
      items: home.items,
      things,
      overdue: things.filter(({ isOverdue }) => isOverdue).length,
    });
  },

  log: async ({ reads, modules }, { parts: { playerId }, input: { beforeSeq, limit = LOG_PAGE } }) => {
    const events = await reads.logPage(playerId, beforeSeq, limit + 1);
    if (events.length === 0 && beforeSeq === undefined) {
      // The retention may have deleted all events of a player. The first hit by id is the player, if there is one.
      const [first] = await reads.playersByPrefix(playerId, 1);
      if (first?.id !== playerId) return opsRefusal('player/unknown', { playerId });
    }
    const page = events.slice(0, limit);
    const actors = await reads.actors(
      playerId,
      page.flatMap(({ event }) => event.commandId ?? []),
    );
    return ok({
      entries: page.map(({ event, readAtMs }) => ({
        event,
        readAtMs,
        actor: event.commandId && actors.get(event.commandId),
        ...aboutOf(modules, playerId, event),
      })),
      nextBeforeSeq: events.length > limit ? page.at(-1)?.event.seq : undefined,
    });
  },

  exportPlayer: async ({ reads }, { parts: { playerId } }) => {
    const everything = await reads.everything(playerId);
    return everything ? ok(everything) : opsRefusal('player/unknown', { playerId });
  },

  /** One search box for everything: the form of the text decides what it may mean. */
  search: async (on, { input: { q, limit = HITS } }) => {
    const { reads } = on;
    const text = q.trim();
    const [, player, thing] = THING_OF_PLAYER.exec(text) ?? [];
    const found = await Promise.all([
      TIMER_ID.test(text) ? timerHits(on, text) : [],
      RUN_OR_THING.test(text) ? runHits(on, text) : [],
      RUN_OR_THING.test(text) ? reads.things(ownerOf(text), text) : [],
      player === undefined || thing === undefined ? [] : reads.things(player, thing),
      PLAYER_ID.test(text) ? reads.playersByPrefix(text, limit + 1) : [],
      text === '' ? [] : reads.thingsByTitle(text, limit + 1),
    ]);
    const hits = found.flat();
    return ok({ hits: hits.slice(0, limit), isCut: hits.length > limit });
  },
} satisfies Handles<Dependencies>;

const timerHits = async ({ timers }: Dependencies, timerId: string): Promise<readonly OpsHit[]> => {
  const [timer] = await timers.find([{ timerId }]);
  return timer ? [hitOf(timer)] : [];
};

/** Runs of this name in the remaining log, and timers with this subject or of things in such a run. */
const runHits = async (on: Dependencies, text: string): Promise<readonly OpsHit[]> => {
  const { reads, timers, modules } = on;
  const playerId = ownerOf(text);
  const log = await reads.wholeLog(playerId);
  const runs = await explainThings(on, { playerId, among: modules.all, run: text }, log);
  const targets = modules.all.flatMap(({ name, timerKind: kind }) => {
    const at = runs.find(({ module, dueAtMs }) => module === name && dueAtMs !== undefined);
    return [{ kind, subject: text }, ...(at ? [{ kind, subject: subjectOf(playerId, at.thing) }] : [])];
  });
  const found = (await timers.find(targets)).flatMap((timer) => timer ?? []);
  return [
    ...runs.map(({ module }) => ({ type: 'run', id: text, playerId, module, label: text }) as const),
    ...new Map(found.map((timer) => [timer.id, hitOf(timer)])).values(),
  ];
};

const hitOf = ({ id, owner, kind }: Timer): OpsHit => ({
  type: 'timer',
  id,
  playerId: owner,
  module: undefined,
  label: kind,
});

const aboutOf = (modules: Modules, playerId: string, event: HomeEvent) => {
  const module = modules.ofEvent(event.type)?.module;
  const run = textIn(event, module?.runField);
  return {
    module: module?.name,
    thing: textIn(event, module?.thingField),
    run: module && run !== undefined ? runNamed(module, playerId, run) : undefined,
  };
};

const textIn = (event: HomeEvent, field: string | undefined): string | undefined => {
  const value = field === undefined ? undefined : event[field];
  return typeof value === 'string' ? value : undefined;
};

/** All things of the player by module, in the order of their ids: `~p2` before `~p10`. */
const showThings = (modules: Modules, home: Home, nowMs: number): readonly OpsThing[] =>
  modules.all.flatMap((module) =>
    Object.entries(thingsOf(home, module.name))
      .map(([id, thing]) => showThing(module, home.playerId, { id, thing, nowMs }))
      .sort((one, other) => byId.compare(one.id, other.id)),
  );

const byId = new Intl.Collator('en', { numeric: true });

interface Shown {
  readonly id: string;
  readonly thing: Thing;
  readonly nowMs: number;
}

const showThing = (module: LoadedModule, playerId: string, { id, thing, nowMs }: Shown): OpsThing => {
  const dueAtMs = unlessFault(() => thingDueAt(module, id, thing));
  return {
    module: module.name,
    id,
    title: unlessFault(() => module.rules.title?.(thing, id)),
    version: module.version,
    run: unlessFault(() => runOf(module, playerId, { id, thing })) ?? runNamed(module, playerId, id),
    dueAtMs,
    isOverdue: dueAtMs !== undefined && dueAtMs <= nowMs,
    waitingSinceMs: unlessFault(() => waitingTimeOf(module, id, thing)),
    work: workIn(thing, dueAtMs),
    state: { ...thing },
  };
};
