import { isA } from '../../../shared/game-code.ts';
import type { Home } from '../../../shared/home.ts';
import { type Command, type QuotedEvent, type QuoteReply, type Rejection, reject } from '../../../shared/protocol.ts';
import { ok, type Result, refused } from '../../../shared/result.ts';
import { judge } from '../../domain/judge.ts';
import { ModuleFault } from '../../domain/module-fault.ts';
import type { Modules } from '../../domain/modules.ts';
import { shownHome } from '../../domain/open-home.ts';
import { replyOf } from '../../domain/reply-of.ts';
import { settleSome } from '../../domain/settle.ts';
import { faultRejection } from '../../domain/written.ts';
import type { HomeMeasure } from '../model/home-measurement.ts';
import type { HomeStore } from '../model/home-store.ts';
import { doneAtOf } from './done-at.ts';
import { timingRules } from './slow-rules.ts';

interface Quoting {
  readonly modules: Modules;
  readonly store: Pick<HomeStore, 'change'>;
  /** Settles the home for good. */
  readonly look: () => Promise<unknown>;
  /** A home with more to settle is settled first. */
  readonly maxEvents: number;
  readonly measure: HomeMeasure | undefined;
}

type Quoted = Result<QuoteReply, Rejection>;

const MOST_LOOKS = 3;

/** What the command would do now. Saves nothing of it. */
export const quoteHome = async (quoting: Quoting, playerId: string, command: Command): Promise<Quoted> => {
  for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
    const quoted = await quoteNow(quoting, playerId, command);
    if (quoted) return quoted;
    await quoting.look();
  }
  return refused(reject('server/unavailable'));
};

/** Undefined when there is too much to settle before. */
const quoteNow = async (
  { modules, store, maxEvents, measure }: Quoting,
  playerId: string,
  command: Command,
): Promise<Quoted | undefined> => {
  // Under the lock like any command, so that it sees one state; then nothing is saved.
  const request = { playerIds: [playerId], commands: [], waits: true };
  const { value } = await store.change(request, ({ homes, nowMs }) => {
    const home = homes.get(playerId);
    if (!home) return unchanged(refused(reject('server/unavailable')));
    const timer = timingRules(modules, measure);
    const quoted = quoteOn({ modules, home, command, nowMs, maxEvents });
    timer.ran({ playerId, command });
    return unchanged(quoted);
  });
  return value;
};

const unchanged = (value: Quoted | undefined) => ({ changes: [], value });

const quoteOn = (input: {
  readonly modules: Modules;
  readonly home: Home;
  readonly command: Command;
  readonly nowMs: number;
  readonly maxEvents: number;
}): Quoted | undefined => {
  const { modules, home, command, nowMs } = input;
  try {
    if (!settleSome(modules, home, input).isSettled) return undefined;
    const shown = shownHome(modules, home, Math.max(nowMs, home.lastAtMs));
    const { decision, home: after } = judge({ modules, home: shown, command, commandId: '', nowMs });
    if (!decision.ok) return refused(decision.error);
    const { events, ...reply } = replyOf(modules, decision.value);
    const doneAt = doneAtOf(modules, after, decision.value);
    return ok({
      ...reply,
      ...(doneAt !== undefined && { doneAt }),
      seq: home.seq,
      events: events.map(({ seq: _, commandId: __, ...event }) => event as QuotedEvent),
    });
  } catch (error) {
    if (isA(error, ModuleFault)) return refused(faultRejection(error));
    throw error;
  }
};
