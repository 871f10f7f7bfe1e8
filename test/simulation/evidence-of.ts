import type { FeedingRow as SavedFeeding } from '../../server/home/write/row-changes.ts';
import type { Home, Pet } from '../../shared/home.ts';
import type {
  AttemptOutcome,
  CommandRecord,
  Evidence,
  FeedingRow,
  PetRow,
  PlayerEvidence,
  Rules,
} from '../chaos/evidence/evidence.ts';
import type { Asked, Ended } from './history.ts';
import type { HomeRows, SimDatabase } from './world/sim-database.ts';

/** What a history leaves behind, as the checker of real runs reads it. */
export const evidenceOf = ({ world, asked }: Ended, rules: Rules): Evidence => {
  const { database } = world;
  const senders = new Set(asked.map(({ playerId }) => playerId));
  const players = [...database.homes].map(([playerId, rows]) => playerOf(database, playerId, rows, asked));
  return {
    rules,
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
  log: events.map((event, place) => ({
    event,
    answerSeq: event.commandId === undefined ? undefined : commands.get(event.commandId)?.answerSeq,
    committedAtMs: committedAtMs[place] ?? 0,
  })),
  rows: {
    home: { seq: home.seq, lastAtMs: home.lastAtMs },
    pets: home.pets.map(petRow),
    feedings: [...database.feedings.values()].filter((row) => row.playerId === playerId).map(feedingRow),
    items: home.items,
    timers: [...database.timers.values()].filter(({ owner }) => owner === playerId),
  },
  commands: asked.filter((each) => each.playerId === playerId).map(recordOf),
  connections: [],
});

const petRow = (pet: Home['pets'][number]): PetRow => ({
  petId: pet.petId,
  name: pet.name,
  species: pet.species,
  xp: pet.xp,
  armed: pet.armed,
  boostRate: pet.boost?.rate,
  boostEndsAtMs: pet.boost?.endsAtMs,
  blockedAtMs: pet.blockedAtMs,
  ...lastOf(pet),
});

const lastOf = ({ lastFeeding }: Pet) => ({
  lastFeedingId: lastFeeding?.feedingId,
  lastOutcome: lastFeeding?.outcome,
});

const feedingRow = ({ petId, feeding, state, endedAtMs }: SavedFeeding): FeedingRow => ({
  petId,
  state,
  endedAtMs,
  feedingId: feeding.feedingId,
  food: feeding.food,
  fedBy: feeding.by,
  workMs: feeding.workMs,
  xp: feeding.xp,
  hasCards: feeding.hasCards,
  startedAtMs: feeding.startedAtMs,
  leftMs: feeding.work.leftMs,
  sinceAtMs: feeding.work.sinceAtMs,
});

/** All tries but the last had an outcome that nobody learned. */
const recordOf = ({ commandId, command, outcome, tries }: Asked): CommandRecord => {
  const attempt = (known: AttemptOutcome) => ({ gateway: '', sentAtMs: 0, endedAtMs: 0, outcome: known });
  const unknown = attempt({ kind: 'unknown', why: 'no answer' });
  return {
    commandId,
    type: command.type,
    attempts: [...Array.from({ length: tries - 1 }, () => unknown), attempt(outcomeOf(outcome))],
  };
};

const outcomeOf = (outcome: Asked['outcome']): AttemptOutcome => {
  if (outcome === undefined) return { kind: 'unknown', why: 'no answer' };
  if ('reply' in outcome) return { kind: 'accepted', reply: outcome.reply };
  return { kind: 'rejected', code: outcome.rejection.code, retryable: outcome.rejection.retryable };
};
