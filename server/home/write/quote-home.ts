import type { Catalogue } from '../../../shared/catalogue.ts';
import type { Home } from '../../../shared/home.ts';
import { type Command, type QuoteReply, type Rejection, reject } from '../../../shared/protocol.ts';
import { ok, type Result, refused } from '../../../shared/result.ts';
import { judge } from '../../domain/judge.ts';
import { replyOf } from '../../domain/reply-of.ts';
import { settleSome } from '../../domain/settle.ts';
import type { HomeStore } from '../model/home-store.ts';
import { unsavedHome } from './batch.ts';

interface Quoting {
  readonly catalogue: Catalogue;
  readonly store: Pick<HomeStore, 'change'>;
  /** Settles the home for good. */
  readonly look: () => Promise<unknown>;
  /** A home with more to settle is settled first. */
  readonly maxEvents: number;
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
  { catalogue, store, maxEvents }: Quoting,
  playerId: string,
  command: Command,
): Promise<Quoted | undefined> => {
  // Under the lock like any command, so that it sees one state; then nothing is saved.
  const request = { playerIds: [playerId], commands: [], waits: true };
  const { value } = await store.change(request, ({ homes, nowMs }) => {
    const home = homes.get(playerId);
    if (!home) return unchanged(refused(reject('server/unavailable')));
    const shown = home.seq > 0 ? home : unsavedHome(catalogue, playerId);
    const { isSettled } = settleSome(home, nowMs, maxEvents);
    return unchanged(isSettled ? quoteOn({ catalogue, home: shown, command, nowMs }) : undefined);
  });
  return value;
};

const unchanged = (value: Quoted | undefined) => ({ changes: [], value });

const quoteOn = (input: {
  readonly catalogue: Catalogue;
  readonly home: Home;
  readonly command: Command;
  readonly nowMs: number;
}): Quoted => {
  const { decision } = judge({ ...input, commandId: '' });
  if (!decision.ok) return decision;
  const { events, ...reply } = replyOf(decision.value);
  return ok({ ...reply, seq: input.home.seq, events: events.map(({ seq: _, commandId: __, ...event }) => event) });
};
