// Row 19 of the promises: nobody acts on what is another's, spends what is not there, or is served twice for one id.
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { HomeService } from '../../server/home/home-service.ts';
import type { Outcome } from '../../server/home/model/homes.ts';
import type { Command } from '../../shared/pets/protocol.ts';
import { tries } from '../proof/tries.ts';
import { type HomeDatabase, homeDatabase } from '../support/postgres/home-database.ts';
import { prove } from '../support/properties/prove.ts';
import { RawClient } from './support/raw-client.ts';
import { sideBySide } from './support/side-by-side.ts';
import { scaled, startVictim, type Victim } from './support/victim.ts';

const ALICE = 'guest:alice';
const PET = `${ALICE}~p2`;
const SECRET_NAME = 'Zanzibar';

describe('over sockets', () => {
  let victim: Victim;
  beforeAll(async () => {
    victim = await startVictim();
  });
  afterAll(() => victim.close());

  it('every message with another player’s ids is refused, and not a byte of the other comes back', async (context) => {
    const alice = await RawClient.join(victim, ALICE);
    await alice.ask('home:adopt', { commandId: 'alice-adopts', name: SECRET_NAME, species: 'dog' });
    await alice.ask('home:feed', { commandId: 'alice-feeds', petId: PET, food: 'dog-food' });
    const { rows: feedings } = await victim.pool.query(
      `select state#>>'{feeding,feedingId}' as id from kibble.thing where player_id = $1`,
      [ALICE],
    );
    const feedingId = String(feedings[0]?.id);
    const before = await logOf(victim, ALICE);
    const mallory = await RawClient.join(victim, 'guest:mallory');
    await mallory.ask('home:adopt', { commandId: 'mallory-adopts', name: 'Rex', species: 'dog' });
    const own = 'guest:mallory~p2';
    const card = { petId: PET, card: 'speed-up' };
    const messages: [string, object][] = [
      ['home:feed', { petId: PET, food: 'dog-food' }],
      ['home:use-card', card],
      ['home:use-card', { ...card, feedingId }],
      ['home:use-card', { ...card, petId: own, feedingId }],
      ['home:disarm', { petId: PET }],
      ['home:stop', { petId: PET }],
      ['home:stop', { petId: PET, feedingId }],
      ['home:stop', { petId: own, feedingId }],
      ['home:release', { petId: PET }],
      // The id of a command that was another's.
      ['home:feed', { petId: PET, food: 'dog-food', commandId: 'alice-feeds' }],
      ['home:feed', { petId: PET, food: 'dog-food', playerId: ALICE }],
      ['home:adopt', { name: 'Rex', species: 'dog', playerId: ALICE }],
      ['home:sync', { afterSeq: 0, playerId: ALICE }],
      ['home:time', { playerId: ALICE }],
      ['home:grant', { items: { boost: 1 }, reason: 'please' }],
      ['home:take', { items: { boost: 1 }, reason: 'please' }],
      ...['home:feed', 'home:use-card', 'home:disarm', 'home:stop', 'home:release'].map((command): [string, object] => [
        'home:quote',
        {
          command,
          payload:
            command === 'home:feed'
              ? { petId: PET, food: 'dog-food' }
              : command === 'home:use-card'
                ? card
                : { petId: PET },
        },
      ]),
      ['home:quote', { command: 'home:grant', payload: { items: { boost: 1 }, reason: 'please' } }],
    ];

    const accepted: string[] = [];
    for (const [at, [type, payload]] of messages.entries()) {
      const isQuestion = type === 'home:quote' || type === 'home:sync' || type === 'home:time';
      const answer = await mallory.ask(type, isQuestion ? payload : { commandId: `mallory-${at}`, ...payload });
      if (answer?.status === 0) accepted.push(`${type} ${JSON.stringify(payload)}`);
    }
    await mallory.ask('home:sync', { afterSeq: 0 });

    // What Mallory said itself may come back in its refusals.
    const bytes = [PET, feedingId].reduce(
      (rest, own) => rest.replaceAll(own, ''),
      Buffer.concat(mallory.received).toString('latin1'),
    );
    console.info(`foreign ids: ${messages.length} messages, accepted ${accepted.length}`);
    expect(accepted).toEqual([]);
    expect(bytes).not.toContain(SECRET_NAME);
    expect(bytes).not.toContain(ALICE);
    expect(await logOf(victim, ALICE)).toEqual(before);
    await Promise.all([alice.leave(), mallory.leave()]);
    prove(context, { row: 19, tries: messages.length, of: 'messages with foreign ids' });
  });

  it('eight sockets of one player spend one food once', async () => {
    const sub = 'guest:racer';
    const sockets = await Promise.all(Array.from({ length: 8 }, () => RawClient.join(victim, sub)));
    const [first] = sockets;
    if (!first) throw new Error('there must be a socket');
    for (const at of sockets.keys())
      await first.ask('home:adopt', { commandId: `adopt-${at}-racer`, name: 'Rex', species: 'dog' });
    const { rows: pets } = await victim.pool.query(
      'select thing_id as pet_id from kibble.thing where player_id = $1 order by length(thing_id), thing_id',
      [sub],
    );
    await victim.pool.query("update kibble.item set count = 1 where player_id = $1 and item = 'dog-food'", [sub]);

    const answers = await Promise.all(
      sockets.map((socket, at) =>
        socket.ask('home:feed', { commandId: `race-feeds-${at}`, petId: pets[at]?.pet_id, food: 'dog-food' }),
      ),
    );

    expect(answers.filter((answer) => answer?.status === 0)).toHaveLength(1);
    expect(answers.filter((answer) => answer?.body.includes('item/out-of-stock'))).toHaveLength(7);
    await Promise.all(sockets.map((socket) => socket.leave()));
  });
});

const logOf = async ({ pool }: Pick<Victim, 'pool'>, playerId: string): Promise<unknown> => {
  const { rows } = await pool.query('select to_jsonb(e) from kibble.event e where player_id = $1 order by seq', [
    playerId,
  ]);
  return rows;
};

describe('by the thousand, in two processes', { timeout: 300_000 }, () => {
  let database: HomeDatabase;
  let gateways: readonly HomeService[];
  beforeAll(async () => {
    database = await homeDatabase(inject('postgresUrl'));
    gateways = [database.service(), database.service()];
  });
  afterAll(() => database.drop());

  let count = 0;
  const order = async (
    at: number,
    playerId: string,
    command: Command,
    commandId = `command-${++count}`,
  ): Promise<Outcome> => {
    const [outcome] = (await gateways[at % 2]?.handle([{ playerId, commandId, command }])) ?? [];
    if (!outcome) throw new Error('one order must have one outcome');
    return outcome;
  };

  it('no race spends what is not there', async (context) => {
    const players = 50;
    const races = scaled(tries({ test: 1_000, proof: 10_000 }));
    const tally = { races: 0, spent: 0, overspent: 0, unspent: 0 };

    await sideBySide(players, players, async (at) => {
      const playerId = `racer-${at}`;
      const pets: string[] = [];
      for (let n = 0; n < 8; n++) {
        const outcome = await order(n, playerId, { type: 'home:adopt', name: 'Rex', species: 'dog' });
        if (outcome.ok) pets.push(String(outcome.value.petId));
      }
      await order(0, playerId, { type: 'home:take', items: { 'dog-food': 9 }, reason: 'one is left' });
      for (let race = 0; race < races / players; race++) {
        const outcomes = await Promise.all(
          pets.map((petId, n) => order(n, playerId, { type: 'home:feed', petId, food: 'dog-food' })),
        );
        const winners = pets.filter((_, n) => outcomes[n]?.ok);
        tally.races += 1;
        tally.spent += winners.length;
        if (winners.length > 1) tally.overspent += 1;
        if (winners.length < 1) tally.unspent += 1;
        // Within ten seconds the food comes back: the next race is for the same one.
        for (const petId of winners) await order(race, playerId, { type: 'home:stop', petId });
        await order(race, playerId, { type: 'home:grant', items: { 'dog-food': 1 }, reason: 'lest none came back' });
        await order(race, playerId, { type: 'home:take', items: { 'dog-food': 1 }, reason: 'so that it is one' });
      }
    });

    console.info(`races: ${JSON.stringify(tally)} on 8 pets and 2 processes`);
    expect(tally).toMatchObject({ overspent: 0, unspent: 0 });
    const { rows } = await database.pool.query('select count(*)::int as negative from kibble.item where count < 0');
    expect(rows).toEqual([{ negative: 0 }]);
    prove(context, { row: 19, tries: tally.races, of: 'double-spend races' });
  });

  it('no command is done twice, however often it is sent, and no id serves two', async (context) => {
    const commands = 500;
    const times = scaled(tries({ test: 10, proof: 100 }));
    const playerOf = (at: number): string => `again-${at % 50}`;
    const commandOf = (at: number): Command => ({ type: 'home:grant', items: { snack: 1 + (at % 3) }, reason: 'once' });
    const firsts = await Promise.all(
      Array.from({ length: commands }, (_, at) => order(at, playerOf(at), commandOf(at), `the-command-${at}`)),
    );
    const before = await counts();
    const tally = { replays: 0, otherAnswer: 0, reused: 0 };

    await sideBySide(commands * times, 64, async (at) => {
      const which = at % commands;
      const isOther = at % 10 === 0;
      const command = isOther ? commandOf(which + 1) : commandOf(which);
      const outcome = await order(at, playerOf(which), command, `the-command-${which}`);
      tally.replays += 1;
      if (!outcome.ok && outcome.error.code === 'command/reused' && isOther) tally.reused += 1;
      else if (isOther || JSON.stringify(comparable(outcome)) !== JSON.stringify(comparable(firsts[which])))
        tally.otherAnswer += 1;
    });

    console.info(`replays: ${JSON.stringify(tally)}`);
    expect(tally).toEqual({ replays: commands * times, otherAnswer: 0, reused: (commands * times) / 10 });
    expect(await counts()).toEqual(before);
    prove(context, { row: 19, tries: tally.replays, of: 'replays' });
  });

  const counts = async (): Promise<unknown> => {
    const { rows } = await database.pool.query(
      "select (select count(*) from kibble.event where player_id like 'again-%') as events, (select sum(count) from kibble.item where player_id like 'again-%') as items",
    );
    return rows;
  };
  /** `nowMs` says when it was answered. */
  const comparable = (outcome: Outcome | undefined): unknown =>
    outcome?.ok ? { ...outcome.value, nowMs: 0 } : outcome;
});
