import { judge, replyOf } from '../../../server/domain/decide.ts';
import { fold } from '../../../server/domain/evolve.ts';
import { openHome } from '../../../server/domain/open-home.ts';
import { settle } from '../../../server/domain/settle.ts';
import type { HomeEvent } from '../../../shared/event.ts';
import { type Home, newHome } from '../../../shared/home.ts';
import { defaultCatalogue } from '../../../shared/pets/catalogue.ts';
import { petsOf } from '../../../shared/pets/pet.ts';
import type { Reply } from '../../../shared/pets/protocol.ts';
import { shownPet } from '../../../shared/pets/shown-pet.ts';
import { homeTimers } from '../../../testing/pets-engine.ts';
import { CHANCE } from '../../simulation/world/sim-home-store.ts';
import { petsAndField } from '../../support/field/field.ts';
import type { Arrival, AttemptOutcome, CommandRecord, Evidence, LoggedEvent, ToldEvent } from '../evidence/evidence.ts';
import { bedRowsOf, feedingRowsOf, petRowsOf } from '../evidence/pet-rows.ts';
import { chooseCommand, type PetInMind, remember } from '../play/choose-command.ts';
import { randomOf } from '../play/random.ts';
import { petRules, rules } from '../play/rules.ts';

const PLAYER_ID = 'guest:anna';
const START_AT_MS = 1_800_000_000_000;

/** The traces of one player's random history in a run without faults, made by the game's own rules. */
export const honestEvidence = (number: number, commandCount: number): Evidence => {
  const random = randomOf(number);
  const seed = { ...CHANCE, life: 0 };
  const modules = petsAndField({ ...defaultCatalogue, ...petRules }, rules.field);
  const pets: PetInMind[] = [];
  const log: LoggedEvent[] = [];
  const arrivals: Arrival[] = [];
  const commands: CommandRecord[] = [];
  let home = newHome(PLAYER_ID);
  let nowMs = START_AT_MS;

  const save = (before: Home, made: readonly HomeEvent[], via: Arrival['via']): void => {
    const events = made as readonly ToldEvent[];
    if (events.length === 0) return;
    const answerSeq = events.at(-1)?.seq;
    for (const event of events) {
      remember(pets, event);
      log.push({ event, committedAtMs: nowMs + 1.5, answerSeq: event.commandId === undefined ? undefined : answerSeq });
    }
    home = fold(modules, before, made);
    arrivals.push({ atMs: nowMs + 3, via, isRepeated: false, events, stateSeq: home.seq });
  };

  save(home, openHome(modules, home, { nowMs }), 'push');
  for (let at = 0; at < commandCount; at += 1) {
    nowMs += random.below(400);
    const { type, payload } = chooseCommand(pets, random);
    const commandId = `command-${at}`;
    const judged = judge({ modules, home, command: { type, ...payload }, commandId, nowMs, seed });
    save(home, judged.settled, 'push');
    const { decision } = judged;
    if (decision.ok) save(home, decision.value, 'reply');
    const outcome: AttemptOutcome = decision.ok
      ? { kind: 'accepted', reply: replyOf(modules, decision.value) as Reply }
      : { kind: 'rejected', code: decision.error.code, retryable: false };
    const attempts = [{ gateway: 'one', sentAtMs: nowMs, endedAtMs: nowMs + 3, outcome }];
    commands.push({ commandId, type, payload, attempts });
  }
  save(home, settle(modules, home, nowMs, seed), 'push');
  const shownPets = petsOf(home).map((pet) => {
    const { id, xp, dueAt, autoFeeds } = shownPet(pet, []);
    return { id, xp, dueAt, autoFeeds };
  });
  const shown = { seq: home.seq, items: home.items, pets: shownPets };
  const connection = { gateway: 'one', afterSeq: 0, openedAtMs: 0, arrivals, refusals: [], isClosed: false, shown };
  const rows = {
    home: { seq: home.seq, lastAtMs: home.lastAtMs },
    pets: petRowsOf(home),
    feedings: feedingRowsOf(home),
    beds: bedRowsOf(home),
    items: home.items,
    timers: homeTimers(modules, home).map(({ kind, subject, dueAtMs }) => ({
      kind,
      subject,
      dueAtMs,
    })),
  };
  const player = { playerId: PLAYER_ID, log, rows, commands, connections: [connection] };
  const growths = [{ growMs: rules.field.growMs, orderedAtMs: 0, committedByMs: 0 }];
  return { rules, growths, readAtMs: nowMs, strangers: [], players: [player] };
};
