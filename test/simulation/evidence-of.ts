import { isOfThing } from '../../server/timer/model/timer.ts';
import type {
  Attempt,
  AttemptOutcome,
  CommandRecord,
  Evidence,
  PlayerEvidence,
  Rules,
  ToldEvent,
} from '../chaos/evidence/evidence.ts';
import { bedRowsOf, feedingRowsOf, petRowsOf } from '../chaos/evidence/pet-rows.ts';
import type { Asked, Ended } from './history.ts';
import type { HomeRows, SimDatabase } from './world/sim-database.ts';

/** What a history leaves behind, as the checker of real runs reads it. */
export const evidenceOf = ({ world, asked }: Ended, rules: Rules): Evidence => {
  const { database } = world;
  const senders = new Set(asked.map(({ playerId }) => playerId));
  // Also players without a home: an accepted command makes one.
  const players = [...new Set([...senders, ...database.homes.keys()])].map((id) => playerOf(database, id, asked));
  const growths = [{ growMs: rules.field.growMs, atMs: 0 }, ...database.growths];
  return {
    rules,
    growths: growths.map(({ growMs, atMs }) => ({ growMs, orderedAtMs: atMs, committedByMs: atMs })),
    players,
    readAtMs: database.nowMs(),
    strangers: [...database.homes.keys()].filter((playerId) => !senders.has(playerId)),
  };
};

const playerOf = (database: SimDatabase, playerId: string, asked: readonly Asked[]): PlayerEvidence => ({
  playerId,
  ...rowsOf(database, playerId, database.homes.get(playerId)),
  commands: asked.filter((each) => each.playerId === playerId).map(recordOf),
  connections: [],
});

const nothing = { pets: [], feedings: [], beds: [], items: {}, timers: [] };

const rowsOf = (
  database: SimDatabase,
  playerId: string,
  found: HomeRows | undefined,
): Pick<PlayerEvidence, 'log' | 'rows'> => {
  if (!found) return { log: [], rows: { home: undefined, ...nothing } };
  const { home, events, commands, committedAtMs } = found;
  const log = (events as readonly ToldEvent[]).map((event, place) => ({
    event,
    answerSeq: event.commandId === undefined ? undefined : commands.get(event.commandId)?.answerSeq,
    committedAtMs: committedAtMs[place] ?? 0,
  }));
  const rows = {
    home: { seq: home.seq, lastAtMs: home.lastAtMs },
    pets: petRowsOf(home),
    feedings: feedingRowsOf(home),
    beds: bedRowsOf(home),
    items: home.items,
    timers: database.timers.scheduled().filter(({ id, owner }) => owner === playerId && isOfThing(id)),
  };
  return { log, rows };
};

/** All tries but the last had an outcome that no client learned. */
const recordOf = ({ commandId, command, askedAtMs, sentAtMs, endedAtMs, outcome, tries }: Asked): CommandRecord => {
  const { type, ...payload } = command;
  const unknown: Attempt = {
    ...{ gateway: '', sentAtMs: askedAtMs, endedAtMs: Number.POSITIVE_INFINITY },
    outcome: { kind: 'unknown', why: 'no answer' },
  };
  const last = { gateway: '', sentAtMs: tries > 1 ? sentAtMs : askedAtMs, endedAtMs, outcome: outcomeOf(outcome) };
  return { commandId, type, payload, attempts: [...Array.from({ length: tries - 1 }, () => unknown), last] };
};

const outcomeOf = (outcome: Asked['outcome']): AttemptOutcome => {
  if (outcome === undefined) return { kind: 'unknown', why: 'no answer' };
  if ('reply' in outcome) return { kind: 'accepted', reply: outcome.reply };
  return { kind: 'rejected', code: outcome.rejection.code, retryable: outcome.rejection.retryable };
};
