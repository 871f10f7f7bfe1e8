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
  const players = [...database.homes].map(([playerId, rows]) => playerOf(database, playerId, rows, asked));
  const growths = [{ growMs: rules.field.growMs, atMs: 0 }, ...database.growths];
  return {
    rules,
    growths: growths.map(({ growMs, atMs }) => ({ growMs, orderedAtMs: atMs, committedByMs: atMs })),
    players,
    readAtMs: database.nowMs(),
    strangers: [...database.homes.keys()].filter((playerId) => !senders.has(playerId)),
  };
};

const playerOf = (
  database: SimDatabase,
  playerId: string,
  { home, events, commands, committedAtMs }: HomeRows,
  asked: readonly Asked[],
): PlayerEvidence => ({
  playerId,
  log: (events as readonly ToldEvent[]).map((event, place) => ({
    event,
    answerSeq: event.commandId === undefined ? undefined : commands.get(event.commandId)?.answerSeq,
    committedAtMs: committedAtMs[place] ?? 0,
  })),
  rows: {
    home: { seq: home.seq, lastAtMs: home.lastAtMs },
    pets: petRowsOf(home),
    feedings: feedingRowsOf(home),
    beds: bedRowsOf(home),
    items: home.items,
    timers: database.timers.scheduled().filter(({ id, owner }) => owner === playerId && isOfThing(id)),
  },
  commands: asked.filter((each) => each.playerId === playerId).map(recordOf),
  connections: [],
});

/** All tries but the last had an outcome that no client learned. */
const recordOf = ({ commandId, command, askedAtMs, sentAtMs, outcome, tries }: Asked): CommandRecord => {
  const unknown = { kind: 'unknown', why: 'no answer' } as const;
  return {
    commandId,
    type: command.type,
    attempts: [
      ...Array.from({ length: tries - 1 }, () => attemptOf(askedAtMs, unknown)),
      attemptOf(tries > 1 ? sentAtMs : askedAtMs, outcomeOf(outcome)),
    ],
  };
};

const attemptOf = (sentAtMs: number, outcome: AttemptOutcome): Attempt => ({
  ...{ gateway: '', endedAtMs: 0, sentAtMs, outcome },
});

const outcomeOf = (outcome: Asked['outcome']): AttemptOutcome => {
  if (outcome === undefined) return { kind: 'unknown', why: 'no answer' };
  if ('reply' in outcome) return { kind: 'accepted', reply: outcome.reply };
  return { kind: 'rejected', code: outcome.rejection.code, retryable: outcome.rejection.retryable };
};
