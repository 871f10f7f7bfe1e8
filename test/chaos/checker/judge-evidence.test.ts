import assert from 'node:assert/strict';
import { describe, expect, it } from 'vitest';
import type { CommandRecord, Evidence, LoggedEvent, PlayerEvidence, ToldEvent } from '../evidence/evidence.ts';
import { honestEvidence } from './honest-evidence.ts';
import { judgeEvidence } from './judge-evidence.ts';
import { emptyAt, leftAfter } from './retold-home.ts';

const BOUND_MS = 1000;

const whats = (evidence: Evidence): readonly string[] => judgeEvidence(evidence, BOUND_MS).map(({ what }) => what);

const honest = honestEvidence(150, 84);
const [anna] = honest.players as readonly [PlayerEvidence];

/** The honest evidence with something wrong in the only player's. */
const withPlayer = (changed: Partial<PlayerEvidence>): Evidence => ({ ...honest, players: [{ ...anna, ...changed }] });
const withRows = (changed: Partial<PlayerEvidence['rows']>): Evidence =>
  withPlayer({ rows: { ...anna.rows, ...changed } });

/** Changes the log from the `skip + 1`-th event of a type on. */
const withLog = (
  type: ToldEvent['type'],
  change: (found: LoggedEvent) => readonly LoggedEvent[],
  skip = 2,
): Evidence => {
  const place = anna.log.flatMap(({ event }, at) => (event.type === type ? at : []))[skip] ?? -1;
  expect(place).toBeGreaterThan(0);
  return withPlayer({ log: anna.log.flatMap((logged, at) => (at === place ? change(logged) : logged)) });
};
const withEvent = (type: ToldEvent['type'], change: object, skip?: number): Evidence =>
  withLog(type, (logged) => [{ ...logged, event: { ...logged.event, ...change } as ToldEvent }], skip);

const [connection] = anna.connections;
const withArrivals = (change: (arrivals: NonNullable<typeof connection>['arrivals']) => unknown): Evidence =>
  withPlayer({ connections: [{ ...connection, arrivals: change(connection?.arrivals ?? []) } as never] });

const withShown = (changed: object): Evidence =>
  withPlayer({ connections: [{ ...connection, shown: { ...connection?.shown, ...changed } } as never] });

/** Of versions of the rules, each since an instant. */
const withGrowths = (...all: readonly (readonly [growMs: number, atMs: number])[]): Evidence => ({
  ...honest,
  growths: all.map(([growMs, atMs]) => ({ growMs, orderedAtMs: atMs, committedByMs: atMs })),
});

const accepted = anna.commands.find(({ attempts }) => attempts[0]?.outcome.kind === 'accepted');
const rejected = anna.commands.find(({ attempts }) => attempts[0]?.outcome.kind === 'rejected');
const withOutcome = (commandId: string | undefined, outcome: object): Evidence =>
  withPlayer({
    commands: anna.commands.map((command) =>
      command.commandId === commandId
        ? { ...command, attempts: command.attempts.map((attempt) => ({ ...attempt, outcome }) as typeof attempt) }
        : command,
    ),
  });

const isAccepted = ({ attempts }: CommandRecord): boolean => attempts[0]?.outcome.kind === 'accepted';
const withCommands = (change: (command: CommandRecord) => CommandRecord): Evidence =>
  withPlayer({ commands: anna.commands.map(change) });
const withAttempts = (changed: object): Evidence =>
  withCommands((one) =>
    one === accepted ? { ...one, attempts: one.attempts.map((attempt) => ({ ...attempt, ...changed })) } : one,
  );
const withPayload = (type: string, changed: object): Evidence =>
  withCommands((one) =>
    one.type === type && isAccepted(one) ? { ...one, payload: { ...one.payload, ...changed } } : one,
  );

/** A refusal between the start of a feeding and its end. */
const withRunning = (): Evidence => {
  const begun = anna.log.find(({ event }) => event.type === 'feeding-started');
  const atMs = (begun?.committedAtMs ?? 0) + 1;
  const outcome = { kind: 'rejected', code: 'feeding/already-done', retryable: false } as const;
  const payload = { feedingId: Object(begun?.event).feedingId };
  const attempts = [{ gateway: 'one', sentAtMs: atMs, endedAtMs: atMs, outcome }];
  return withPlayer({ commands: [...anna.commands, { commandId: 'late', type: 'home:stop', payload, attempts }] });
};

const replyOf = (changed: object) => {
  const outcome = accepted?.attempts[0]?.outcome;
  return { ...outcome, reply: { ...Object(outcome).reply, ...changed } };
};
const told = (arrival: unknown, changed: object) => ({
  ...Object(arrival),
  events: Object(arrival).events.map((event: object) => ({ ...event, ...changed })),
});

describe('the checker', () => {
  it('finds nothing wrong in what the rules of the game make of 200 random histories', () => {
    const types = new Set<string>();
    for (let seed = 1; seed <= 200; seed += 1) {
      const evidence = honestEvidence(seed, 60);
      expect(judgeEvidence(evidence, BOUND_MS), `seed ${seed}`).toEqual([]);
      for (const { event } of evidence.players[0]?.log ?? []) types.add(event.type);
    }
    // All that the load can bring about was there to be judged.
    expect([...types].sort()).toEqual([
      'auto-feed-blocked',
      'auto-feed-disarmed',
      'card-used',
      'feeding-completed',
      'feeding-started',
      'feeding-stopped',
      'field/hurried',
      'field/ripened',
      'field/sown',
      'field/sprouted',
      'items-granted',
      'pet-adopted',
    ]);
  });

  it.each([
    [
      'a command that was done twice',
      () => withEvent('card-used', { commandId: accepted?.commandId }),
      /was done 2 times/,
    ],
    [
      'a command begun by another event',
      () => withCommands((one) => (one === accepted ? { ...one, type: 'home:none' } : one)),
      /begins with/,
    ],
    [
      'a command taken for another',
      () => withOutcome(rejected?.commandId, { kind: 'rejected', code: 'command/reused' }),
      /was taken for another/,
    ],
    ['a reply with another seq', () => withOutcome(accepted?.commandId, replyOf({ seq: 0 })), /its reply says seq 0/],
    ['a stock below zero', () => withEvent('card-used', { items: { crumb: -9999 } }), /leaves -\d+ crumb/],
    [
      'a row too many',
      () => withRows({ feedings: [...anna.rows.feedings, { ...anna.rows.feedings[0], feedingId: 'f0' } as never] }),
      /of which the log knows nothing/,
    ],
    [
      'a home row of another time',
      () => withRows({ home: { ...anna.rows.home, lastAtMs: 1 } as never }),
      /changed at 1$/m,
    ],
    [
      'cards off by one',
      () => withRows({ pets: anna.rows.pets.map((pet) => ({ ...pet, armed: [{ left: 99 }] as never })) }),
      /says 99 armed/,
    ],
    [
      'another event than in the log',
      () => withArrivals((all) => all.with(5, told(all[5], { at: 5 }))),
      /^saw .*, the log has/m,
    ],
    [
      'an event that no log has',
      () => withArrivals((all) => all.with(-1, told(all.at(-1), { seq: 9999 }))),
      /the log ends at/,
    ],
    [
      'a gap in a push',
      () =>
        withArrivals((all) => all.with(5, { ...all[5], events: [...(all[5]?.events ?? []), { seq: 9999 }] } as never)),
      /has seq 9999 where/,
    ],
    [
      'a connection that began elsewhere',
      () => withPlayer({ connections: [{ ...connection, afterSeq: 3 } as never] }),
      /began after 3/,
    ],
    [
      'a refusal without a request',
      () => withPlayer({ connections: [{ ...connection, refusals: ['x'] } as never] }),
      /had asked nothing/,
    ],
    ['an event of another version', () => withEvent('card-used', { v: 2 }), /has version 2/],
    ['a lost event', () => withLog('feeding-completed', () => []), /is at place/],
    ['the last event lost', () => withPlayer({ log: anna.log.slice(0, -1) }), /the home's row says seq/],
    [
      'items that nobody ordered',
      () =>
        withLog('feeding-completed', (one) => [
          one,
          {
            ...one,
            event: { v: 1, seq: 0, at: one.event.at, type: 'items-granted', items: {}, reason: 'gift' } as ToldEvent,
          },
        ]),
      /items-granted: nobody ordered it/,
    ],
    ['a doubled completion', () => withLog('feeding-completed', (one) => [one, one]), /is not what the pet eats/],
    ['a due time 1 ms late', () => withEvent('feeding-completed', { at: at(2) + 1 }), /is 1 ms off its due time/],
    ['a due time 1 ms early', () => withEvent('feeding-completed', { at: at(2) - 1 }), /is -1 ms off its due time/],
    ['a due time that was said wrong', () => withEvent('feeding-started', { dueAt: 5 }), /says it is due/],
    ['an event that is dated back', () => withEvent('card-used', { at: 5 }), /before the one before it/],
    ['food for nothing', () => withEvent('feeding-started', { items: {} }), /takes something else than its food/],
    ['a card for nothing', () => withEvent('card-used', { items: {} }), /takes something else than its cards/],
    ['xp for nothing', () => withEvent('feeding-completed', { totalXp: 999 }), /brings the xp to 999/],
    ['a chain that stops', () => withLog('feeding-started', () => [], chainStart()), /where feeding-started of/],
    ['a harvest 1 ms late', () => withEvent('field/ripened', { at: ripe() + 1 }), /is 1 ms off its due time/],
    ['a harvest for nothing', () => withEvent('field/ripened', { items: {} }), /moves \{\} instead of/],
    ['a harvest of too much', () => withEvent('field/ripened', { items: { crumb: 9 } }), /moves \{"crumb":9\} instead/],
    ['a bed by rules that were replaced', () => withGrowths([500, 0], [400, 0]), /grows 500 ms, .* said 400/],
    ['a bed by rules of later', () => withGrowths([400, 0], [500, Number.MAX_VALUE]), /grows 500 ms, .* said 400/],
    ['a harvest that is lost', () => withLog('field/ripened', () => []), /is ripe, and nobody has noticed/],
    ['a bed that does not sprout', () => withLog('field/sprouted', () => []), /where field.sprouted of/],
    [
      'a bed off by one',
      () => withRows({ beds: anna.rows.beds.map((bed) => ({ ...bed, harvests: 99 })) }),
      /harvests 99/,
    ],
    [
      'a timer of a bed that does not grow',
      () => withRows({ timers: [...anna.rows.timers, stray] }),
      /a timer of field .*, which the log has at rest/,
    ],
    ['a foreign feeding', () => withEvent('feeding-started', { feedingId: 'bob~f4' }), /has the id bob~f4/],
    ['a foreign command', () => withEvent('card-used', { commandId: 'command-of-bob' }), /never sent command/],
    ['a foreign player', () => ({ ...honest, strangers: ['bob'] }), /in no load/],
    ['a commit before its time', () => withCommit(-1), /committed 1 ms before its time/],
    ['a commit beyond the bound', () => withCommit(BOUND_MS + 1), /completed 1001 ms late, the bound is 1000/],
    [
      'a harvest beyond the bound',
      () => withCommit(BOUND_MS + 1, 'field/ripened'),
      /completed 1001 ms late, the bound/,
    ],
    [
      'a bed that never ripens',
      () => ({ ...withLog('field/ripened', () => []), readAtMs: 2 ** 52 }),
      /was ripe \d+ ms/,
    ],
    ['a command that is refused once it was done', () => withLateRefusal(), /was refused after it was done/],
    [
      'a client that is gone',
      () => withPlayer({ connections: [{ ...connection, isClosed: true } as never] }),
      /not there/,
    ],
    [
      'an event before its state',
      () => withArrivals((all) => all.map((one) => ({ ...one, stateSeq: 0 }))),
      /its state/,
    ],
    [
      'a client without a state',
      () => withPlayer({ connections: [{ ...connection, shown: undefined } as never] }),
      /no state/,
    ],
    ['a state that is old', () => withShown({ seq: (connection?.shown?.seq ?? 0) - 1 }), /the state at the end is of/],
    [
      'a state with another stock',
      () => withShown({ items: { ...anna.rows.items, crumb: 77 } }),
      /state .* the stock is/,
    ],
    ['a state with another pet', () => withShown({ pets: [] }), /the state at the end has the pets/],
    ['a feeding that nobody ends', () => ({ ...honest, readAtMs: honest.readAtMs + 9_000_000 }), /was due \d+ ms ago/],
    ['a stock off by one', () => withRows({ items: { ...anna.rows.items, crumb: 77 } }), /^the stock is/m],
    ['an xp off by one', () => withRows({ pets: anna.rows.pets.map((pet) => ({ ...pet, xp: pet.xp + 1 })) }), /xp/],
    ['a lost timer', () => withRows({ timers: [] }), /has 0 timers/],
    ['a timer 1 ms off', () => withRows({ timers: anna.rows.timers.map(later) }), /its timer is 1 ms off/],
    ['a lost feeding', () => withRows({ feedings: anna.rows.feedings.slice(1) }), /no row/],
    ['an accepted command that is lost', () => withPlayer({ log: anna.log.slice(0, 2) }), /is not in the log/],
    ['another answer', () => withOutcome(accepted?.commandId, { kind: 'accepted', reply: { events: [] } }), /answered/],
    ['a rejected command that was done', () => withOutcome(accepted?.commandId, { kind: 'rejected' }), /was rejected/],
    ['an accepted command without a trace', () => withOutcome(rejected?.commandId, { kind: 'accepted' }), /not in the/],
    ['a command dated before it was sent', () => withAttempts({ sentAtMs: 2 ** 52 }), /is dated \d+ ms before it was/],
    ['another food', () => withPayload('home:feed', { food: 'feast' }), /asked for the food feast, and got/],
    ['another feeding', () => withPayload('home:use-card', { feedingId: 'f9' }), /asked for the feedingId f9, and got/],
    ['another number of cards', () => withPayload('home:use-card', { count: 3 }), /asked for 3 cards, and played/],
    [
      'a waste that was not allowed',
      () => withPayload('home:use-card', { maxWastedMs: -1 }),
      /wasted \d+ ms of at most/,
    ],
    ['another bed', () => withPayload('field:sow', { bed: 'east' }), /asked for east, got/],
    ['another gift', () => withGift(), /gives \{"crumb":1\} instead of \{"crumb":2\}/],
    ['another number of cards back', () => withPayload('home:disarm', { count: 99 }), /asked for 99 cards back/],
    ['a running feeding that is called over', () => withRunning(), /is over, which ran on/],
    ['a push that was lost', () => withArrivals((all) => all.toSpliced(5, 1)), /begins with/],
    ['a push that came twice', () => withArrivals((all) => all.toSpliced(5, 0, all[5] as never)), /begins with/],
    ['pushes in another order', () => withArrivals((all) => [...all.slice(0, 5), ...all.slice(5).reverse()]), /begins/],
    ['a client that hears no more', () => withArrivals((all) => all.slice(0, 9)), /heard no more/],
    [
      'an event seen too early',
      () => withArrivals((all) => all.map((one) => ({ ...one, atMs: 5 }))),
      /before its time/,
    ],
  ])('reports %s', (_, tampered, complaint) => {
    expect(whats(tampered()).join('\n')).toMatch(complaint);
  });

  it.each([
    [
      'ends in a chain',
      () => until(({ type, by }) => type === 'feeding-started' && by === 'card'),
      /^the log ends where feeding-started of/m,
    ],
    ['ends before what could go on', () => until(({ type }) => type === 'field/sprouted'), /waits, and could go on/],
    [
      'is dated in halves',
      () => withEvent('card-used', { at: cardOf('cut').at + 0.5 }),
      /not dated in whole milliseconds/,
    ],
    ['begins without starter items', () => withStart({ items: {} }), /does not begin with the starter items/],
    [
      'says nothing of an end',
      () => withLog('feeding-completed', () => []),
      /was due \d+ ms before, and is not completed/,
    ],
    ['completes two at once in the wrong order', () => withOtherOrder(), /is due at the same instant and comes first/],
    [
      'has an operator’s event',
      () => withAfter('card-used', { type: 'player-frozen' }),
      /player-frozen: nobody ordered it/,
    ],
    ['names an unknown pet', () => withEvent('card-used', { petId: 'x' }), /there is no pet x/],
    ['waits for another food', () => withEvent('auto-feed-blocked', { food: 'x' }, 0), /waits for x instead of/],
    ['waits without a card', () => withAfter('pet-adopted', blocked, 0), /auto-feed-blocked: no card is armed/],
    ['waits beside its food', () => withAfter('pet-adopted', blocked, 0), /auto-feed-blocked: there is food/],
    ['lets a pet go that eats', () => withAfter('feeding-started', { type: 'pet-released' }), /the pet still eats/],
    ['calls a pet by another id', () => withEvent('pet-adopted', { petId: 'x' }, 0), /pet-adopted: has the id x/],
    [
      'has a pet without an order',
      () => withEvent('pet-adopted', { commandId: undefined }, 0),
      /pet-adopted: nobody ordered/,
    ],
    ['has a pet too many', () => withLimits({ petsPerPlayer: 0 }), /is one pet too many/],
    ['feeds a pet that eats', () => withLog('feeding-started', (one) => [one, one]), /feeding-started: eats .* still/],
    ['feeds with other xp', () => withEvent('feeding-started', { xp: 99 }), /is not what the food gives/],
    ['feeds without food', () => withStart({ items: {} }), /there is no food for it/],
    ['feeds by a card for a command', () => withEvent('feeding-started', byCard, 0), /by card, against its command/],
    [
      'feeds by a card that is not armed',
      () => withEvent('feeding-started', byCard, 0),
      /feeding-started: no card is armed/,
    ],
    ['feeds by a card too late', () => withEvent('feeding-started', byCard, 0), /does not start when the one before/],
    [
      'feeds something else in a chain',
      () => withEvent('feeding-started', { food: 'feast' }, chainStart()),
      /is not the food of its chain/,
    ],
    ['begins a feeding twice', () => withLog('feeding-started', (one) => [one, one]), /started before/],
    [
      'stops another feeding',
      () => withEvent('feeding-stopped', { feedingId: 'f9' }, 0),
      /feeding-stopped: f9 is not what/,
    ],
    [
      'gives back too much',
      () => withEvent('feeding-stopped', { items: { feast: 5 } }, 0),
      /gives back \{"feast":5\}, not/,
    ],
    [
      'disarms too much',
      () => withEvent('auto-feed-disarmed', { items: { feast: 5 } }, 0),
      /gives back \{"feast":5\} of/,
    ],
    ['has a card with another effect', () => withEvent('card-used', { effect: 'x' }), /does no x/],
    [
      'has a card without an order',
      () => withEvent('card-used', { commandId: undefined }),
      /card-used: nobody ordered/,
    ],
    ['plays cards that are not there', () => withEvent('card-used', { count: 99 }), /there are not so many cards/],
    ['plays a card on another feeding', () => withEvent('card-used', { feedingId: 'f9' }), /card-used: f9 is not what/],
    ['plays a boost beside another', () => withOtherBoost(), /another rate runs/],
    ['arms too many cards', () => withLimits({ autoFeedsPerPet: 0 }), /are too many on one pet/],
    ['sows without an order', () => withEvent('field/sown', { commandId: undefined }), /field.sown: nobody ordered/],
    ['sows twice', () => withLog('field/sown', (one) => [one, one]), /the bed is sown already/],
    ['sprouts twice', () => withLog('field/sprouted', (one) => [one, one]), /the bed does not wait/],
    [
      'sprouts beside another',
      () => withAfter('field/sprouted', { type: 'field/sprouted', thing: 'x' }),
      /another bed grows/,
    ],
    ['sprouts with another time', () => withEvent('field/sprouted', { ripeAt: 5 }), /says it is ripe at 5/],
    ['hurries without an order', () => withEvent('field/hurried', { commandId: undefined }, 0), /nothing grows that/],
    ['hurries to another time', () => withEvent('field/hurried', { ripeAt: 5 }, 0), /says it is ripe at 5 instead of/],
    ...(['wastedMs', 'boostRate', 'boostEndsAt', 'autoFeeds', 'workLeftMs', 'dueAt'] as const).map(
      (field) =>
        [
          `says another ${field}`,
          () => withEvent('card-used', { [field]: -5 }, placeOfCard(field)),
          new RegExp(`says ${field} -5, not`),
        ] as const,
    ),
  ] as readonly (readonly [string, () => Evidence, RegExp])[])('reports a log that %s', (_, tampered, complaint) => {
    expect(whats(tampered()).join('\n')).toMatch(complaint);
  });

  it('lets a command of unknown outcome be there or not', () => {
    expect(whats(withOutcome(accepted?.commandId, { kind: 'unknown', why: 'closed' }))).toEqual([]);
    expect(whats(withOutcome(rejected?.commandId, { kind: 'unknown', why: 'closed' }))).toEqual([]);
  });
});

const stray = { kind: 'field', subject: `${anna.playerId}~${anna.rows.beds[0]?.bed}`, dueAtMs: 1 };

const at = (skip: number): number =>
  anna.log.filter(({ event }) => event.type === 'feeding-completed')[skip]?.event.at ?? 0;

const ripe = (): number => anna.log.filter(({ event }) => event.type === 'field/ripened')[2]?.event.at ?? 0;

const chainStart = (): number =>
  anna.log
    .flatMap(({ event }) => (event.type === 'feeding-started' ? event : []))
    .findIndex((event) => event.by === 'card');

const cards = anna.log.flatMap(({ event }) => (event.type === 'card-used' ? event : []));
const cardOf = (effect: string) => cards.find((card) => card.effect === effect) ?? assert.fail(effect);
/** The first card of which its event says this. */
const placeOfCard = (field: string): number => cards.findIndex((card) => Object(card)[field] !== undefined);

/** The log ends before the first event of this sort. */
const until = (isIt: (event: ToldEvent & { readonly by?: string | undefined }) => boolean): Evidence =>
  withPlayer({
    log: anna.log.slice(
      0,
      anna.log.findIndex(({ event }) => isIt(event)),
    ),
  });

const blocked = { type: 'auto-feed-blocked', food: 'crumb' };
const byCard = { by: 'card' };
/** An operator orders two crumbs, and the log has one. */
const withGift = (): Evidence =>
  withPlayer({
    commands: anna.commands.map((one) =>
      one === accepted ? { ...one, type: 'ops:grant', payload: { items: { crumb: 2 } } } : one,
    ),
    log: anna.log.map((one) =>
      one.event.commandId === accepted?.commandId
        ? { ...one, event: { ...one.event, type: 'items-granted', items: { crumb: 1 } } as ToldEvent }
        : one,
    ),
  });

/** One more event after another, of the same pet or bed at the same instant. */
const withAfter = (type: ToldEvent['type'], added: object, skip?: number): Evidence =>
  withLog(type, (one) => [one, { ...one, event: { ...one.event, ...added } as ToldEvent }], skip);

const withStart = (changed: object): Evidence =>
  withPlayer({
    log: anna.log.map((one, place) =>
      place === 0 ? { ...one, event: { ...one.event, ...changed } as ToldEvent } : one,
    ),
  });

const withLimits = (changed: object): Evidence => ({
  ...honest,
  rules: { ...honest.rules, limits: { ...honest.rules.limits, ...changed } },
});

/** A pet's feeding ends when that of a pet before it is due. */
const withOtherOrder = (): Evidence => {
  const dues = new Map<string, number>();
  for (const [place, { event }] of anna.log.entries()) {
    if (event.type === 'feeding-completed') {
      dues.delete(event.petId);
      const [earlier] = [...dues].filter(([petId]) => petId < event.petId);
      const changed = (one: LoggedEvent) => ({ ...one, event: { ...one.event, at: earlier?.[1] } as ToldEvent });
      if (earlier) return withPlayer({ log: anna.log.map((one, index) => (index === place ? changed(one) : one)) });
    } else if (event.type === 'feeding-started' || event.type === 'card-used') dues.set(event.petId, event.dueAt);
    else if (event.type === 'feeding-stopped') dues.delete(event.petId);
  }
  return assert.fail('no two pets eat at once');
};

/** A boost is played while one by another card runs. */
const withOtherBoost = (): Evidence => {
  const untils = new Map<string, number>();
  const at = cards.findIndex((card) => {
    if (card.effect !== 'rate') return false;
    const runs = (untils.get(card.petId) ?? 0) > card.at;
    untils.set(card.petId, card.boostEndsAt ?? 0);
    return runs;
  });
  const other = { effect: 'rate', rate: 9, lastsMs: 1 } as const;
  const evidence = withEvent('card-used', { card: 'other' }, at);
  return { ...evidence, rules: { ...honest.rules, cards: { ...honest.rules.cards, other } } };
};

const later = <Row extends { readonly dueAtMs: number }>(row: Row): Row => ({ ...row, dueAtMs: row.dueAtMs + 1 });

const withCommit = (lateMs: number, type: ToldEvent['type'] = 'feeding-completed'): Evidence =>
  withLog(type, (logged) => [{ ...logged, committedAtMs: logged.event.at + lateMs }]);

const withLateRefusal = (): Evidence => {
  const done = anna.log.find(({ event }) => event.commandId === accepted?.commandId);
  const outcome = { kind: 'rejected', code: 'pet/eating', retryable: false } as const;
  const again = { gateway: 'one', sentAtMs: (done?.committedAtMs ?? 0) + 1, endedAtMs: 0, outcome };
  return withPlayer({
    commands: anna.commands.map((command) =>
      command === accepted ? { ...command, attempts: [...command.attempts, again] } : command,
    ),
  });
};

describe('the appetite', () => {
  it('eats at the rate before the boost ends, and at 1 from then on', () => {
    const boost = { rate: 2, untilMs: 110 };
    expect(emptyAt(50, 100, boost)).toBe(140);
    expect(emptyAt(20, 100, boost)).toBe(110);
    expect(emptyAt(19, 100, boost)).toBe(110);
    expect(emptyAt(21, 100, boost)).toBe(111);
    expect(leftAfter(50, 100, 105, boost)).toBe(40);
    expect(leftAfter(50, 100, 120, boost)).toBe(20);
    expect(leftAfter(1, 100, 105, boost)).toBe(0);
    expect(emptyAt(0, 100, boost)).toBe(100);
  });
});
