import type { HomeEvent } from '../../../shared/event.ts';
import { ownerOf, PLAYER_ID } from '../../../shared/ids.ts';
import type { OpsInput } from '../../../shared/ops/acts.ts';
import type { OpsAnswers, OpsHit } from '../../../shared/ops/ops-answers.ts';
import { ok } from '../../../shared/result.ts';
import { runNamed, subjectOf } from '../../domain/due-of.ts';
import type { Modules } from '../../domain/modules.ts';
import type { Timer } from '../../timer/model/timer.ts';
import type { TimerService } from '../../timer/timer-service.ts';
import { type OpsResult, refuse } from '../perform/refusal.ts';
import { explainThing } from './explain-thing.ts';
import type { PlayerRows, PlayerSearch } from './ops-reads.ts';
import { showThings } from './show-thing.ts';

interface Dependencies {
  readonly reads: PlayerRows & PlayerSearch;
  readonly timers: Pick<TimerService, 'find'>;
  readonly modules: Modules;
}

const LOG_PAGE = 50;
const HITS = 20;
/** A thing whose id others have as well: `ann hall`. */
const THING_OF_PLAYER = /^([A-Za-z0-9._:|@-]{1,128})\s+(\S.*)$/;
/** The player, and what the player has or does: ids that the engine makes, names of runs, and subjects of timers. */
const RUN_OR_THING = /^[^~\s]+~\S+$/;

/** Players as operators look at them: the rows as they are, not settled for the look. */
export class OpsPlayerReads {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  async player(playerId: string): Promise<OpsResult<OpsAnswers['player']>> {
    const seen = await this.#dependencies.reads.home(playerId);
    if (!seen) return refuse('player/unknown', { playerId });
    const { home, epoch, nowMs } = seen;
    const things = showThings(this.#dependencies.modules, home, nowMs);
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
  }

  async log(playerId: string, input: OpsInput<'log'>): Promise<OpsResult<OpsAnswers['log']>> {
    const { reads } = this.#dependencies;
    const { beforeSeq, limit = LOG_PAGE } = input;
    const events = await reads.logPage(playerId, beforeSeq, limit + 1);
    if (events.length === 0 && beforeSeq === undefined) return refuse('player/unknown', { playerId });
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
        ...aboutOf(this.#dependencies.modules, playerId, event),
      })),
      nextBeforeSeq: events.length > limit ? page.at(-1)?.event.seq : undefined,
    });
  }

  async exportOf(playerId: string): Promise<OpsResult<OpsAnswers['exportPlayer']>> {
    const everything = await this.#dependencies.reads.everything(playerId);
    return everything ? ok(everything) : refuse('player/unknown', { playerId });
  }

  /** One box for all: the form of what is asked says what it may be. */
  async search({ q, limit = HITS }: OpsInput<'search'>): Promise<OpsResult<OpsAnswers['search']>> {
    const { reads } = this.#dependencies;
    const text = q.trim();
    const [, player, thing] = THING_OF_PLAYER.exec(text) ?? [];
    const found = await Promise.all([
      /^\d{1,18}$/.test(text) ? this.#timer(text) : [],
      RUN_OR_THING.test(text) ? this.#runs(text) : [],
      RUN_OR_THING.test(text) ? reads.things(ownerOf(text), text) : [],
      player === undefined || thing === undefined ? [] : reads.things(player, thing),
      PLAYER_ID.test(text) ? reads.playersByPrefix(text, limit) : [],
      text === '' ? [] : reads.thingsByTitle(text, limit),
    ]);
    return ok({ hits: found.flatMap((hits) => hits ?? []).slice(0, limit) });
  }

  async #timer(timerId: string): Promise<readonly OpsHit[]> {
    const [timer] = await this.#dependencies.timers.find([{ timerId }]);
    return timer ? [hitOf(timer)] : [];
  }

  /** Runs of this name, as far as the log goes back, and the timers of this subject, or of things that are at such a run. */
  async #runs(text: string): Promise<readonly OpsHit[]> {
    const { reads, timers, modules } = this.#dependencies;
    const playerId = ownerOf(text);
    const log = await reads.wholeLog(playerId);
    const runs = modules.all.flatMap((module) => explainThing(modules, { playerId, module, run: text }, log) ?? []);
    const targets = modules.all.flatMap(({ name, timerKind: kind }) => {
      const at = runs.find(({ module, dueAtMs }) => module === name && dueAtMs !== undefined);
      return [{ kind, subject: text }, ...(at ? [{ kind, subject: subjectOf(playerId, at.thing) }] : [])];
    });
    const found = (await timers.find(targets)).flatMap((timer) => timer ?? []);
    return [
      ...runs.map(({ module }) => ({ type: 'run', id: text, playerId, module, label: text }) as const),
      ...new Map(found.map((timer) => [timer.id, hitOf(timer)])).values(),
    ];
  }
}

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
