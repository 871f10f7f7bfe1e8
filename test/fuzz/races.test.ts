// Row 19 of the promises: no player spends missing items, or gets one id's effect twice, also through two processes at
// once.
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { HANG_MS, tries } from '../proof/table/tries.ts';
import { prove } from '../support/properties/prove.ts';
import { type Gateways, startGateways } from './support/gateways.ts';
import { unpack } from './support/pack.ts';
import { type Answer, RawClient } from './support/raw-client.ts';
import { scaled, sideBySide } from './support/victim.ts';

const SOCKETS = 8;
/** So many that a fast machine stays below the limit of messages of a player. */
const PLAYERS = tries({ test: 20, proof: 200 });
const RACES = scaled(tries({ test: 100, proof: 10_000 }));
const COMMANDS = tries({ test: 100, proof: 2_000 });
const REPLAYS = scaled(tries({ test: 1_000, proof: 50_000 }));

describe.skipIf(!inject('redisUrl'))('through two gateways, each a process', { timeout: HANG_MS }, () => {
  let game: Gateways;
  beforeAll(async () => {
    game = await startGateways(2);
  });
  afterAll(() => game.close());

  /** Devices of one player, on one gateway and the other by turns. */
  const joinAll = (sub: string, count: number): Promise<RawClient[]> =>
    Promise.all(
      Array.from({ length: count }, (_, at) => {
        const gateway = game.gateways[at % game.gateways.length];
        if (!gateway) throw new Error('there must be a gateway');
        return RawClient.join(gateway, sub);
      }),
    );

  const isDone = (answer: Answer | undefined): boolean => answer?.status === 0;
  const isRefused = (answer: Answer | undefined, code: string): boolean =>
    answer?.status === 1 && answer.body.includes(code);
  /** Without `nowMs`, the time of the answer. */
  const comparable = (answer: Answer | undefined): unknown =>
    answer && { status: answer.status, ...(unpack(answer.body) as object), nowMs: 0 };
  const negative = async (): Promise<unknown> =>
    (await game.pool.query('select player_id, item, count from kibble.item where count < 0')).rows;

  it(`no race of eight sockets spends what is not there (${RACES} races)`, async (context) => {
    const tally = { races: 0, overspent: 0, unspent: 0, otherAnswers: 0 };

    // Some at a time: all at once, a seat would be given up before its socket is served.
    const joined: RawClient[][] = [];
    await sideBySide(PLAYERS, 8, async (at) => {
      joined[at] = await joinAll(`guest:racer-${at}`, SOCKETS);
    });
    await sideBySide(PLAYERS, PLAYERS, async (at) => {
      const sub = `guest:racer-${at}`;
      const sockets = joined[at] ?? [];
      expect(sockets).toHaveLength(SOCKETS);
      for (const [n, socket] of sockets.entries()) {
        const adopted = { commandId: `adopts-${n}-it`, name: 'Rex', species: 'dog' };
        expect(isDone(await socket.ask('home:adopt', adopted))).toBe(true);
      }
      const { rows: pets } = await game.pool.query('select thing_id from kibble.thing where player_id = $1', [sub]);
      for (let race = 0; race < RACES / PLAYERS; race++) {
        // One food for eight pets.
        const one = 'update kibble.home set items = items || \'{"dog-food": 1}\' where player_id = $1';
        await game.pool.query(one, [sub]);
        const answers = await Promise.all(
          sockets.map((socket, n) =>
            socket.ask('home:feed', {
              commandId: `race-${race}-socket-${n}`,
              petId: pets[n]?.thing_id,
              food: 'dog-food',
            }),
          ),
        );
        const winners = pets.filter((_, n) => isDone(answers[n]));
        tally.races += 1;
        if (winners.length > 1) tally.overspent += 1;
        if (winners.length < 1) tally.unspent += 1;
        tally.otherAnswers += answers.filter(
          (answer) => !isDone(answer) && !isRefused(answer, 'item/out-of-stock'),
        ).length;
        for (const { thing_id: petId } of winners)
          await sockets[race % SOCKETS]?.ask('home:stop', { commandId: `race-${race}-stops`, petId });
      }
      await Promise.all(sockets.map((socket) => socket.leave()));
    });

    console.info(`races: ${JSON.stringify(tally)} on 8 sockets and 2 processes`);
    expect(tally).toEqual({ races: RACES, overspent: 0, unspent: 0, otherAnswers: 0 });
    expect(await negative()).toEqual([]);
    prove(context, { row: 19, tries: tally.races, of: 'double-spend races on 8 sockets and 2 gateways' });
  });

  it(`no command is done twice, however often and wherever it is sent (${REPLAYS} replays)`, async (context) => {
    const players = COMMANDS / 5;
    const devices: RawClient[][] = [];
    await sideBySide(players, 8, async (at) => {
      devices[at] = await joinAll(`guest:again-${at}`, 2);
    });
    const messages = (at: number): readonly (readonly [type: string, payload: object, other: object])[] => {
      const petId = `guest:again-${at}~p2`;
      return [
        ['home:adopt', { name: 'Rex', species: 'dog' }, { name: 'Max', species: 'dog' }],
        ['home:feed', { petId, food: 'dog-food' }, { petId, food: 'treat' }],
        ['home:use-card', { petId, card: 'speed-up' }, { petId, card: 'speed-up', count: 2 }],
        ['home:use-card', { petId, card: 'auto-feed' }, { petId, card: 'speed-up' }],
        ['home:disarm', { petId }, { petId, count: 1 }],
      ];
    };
    const firsts = new Map<string, unknown>();
    for (const [at, [phone]] of devices.entries())
      for (const [n, [type, payload]] of messages(at).entries()) {
        const answer = await phone?.ask(type, { commandId: `command-${n}`, ...payload });
        expect([type, answer?.status]).toEqual([type, 0]);
        firsts.set(`${at} ${n}`, comparable(answer));
      }
    const before = await rowsOf();
    const tally = { replays: 0, otherAnswers: 0, reused: 0 };

    await sideBySide(REPLAYS, 64, async (replay) => {
      const [at, n] = [replay % players, Math.floor(replay / players) % 5];
      const [type, payload, other] = messages(at)[n] ?? ['', {}, {}];
      const isOther = replay % 11 === 0;
      const device = devices[at]?.[Math.floor(replay / players / 5) % 2];
      const answer = await device?.ask(type, { commandId: `command-${n}`, ...(isOther ? other : payload) });
      tally.replays += 1;
      if (isOther && isRefused(answer, 'command/reused')) tally.reused += 1;
      else if (isOther || !isDeepStrictEqual(comparable(answer), firsts.get(`${at} ${n}`))) tally.otherAnswers += 1;
    });

    console.info(`replays: ${JSON.stringify(tally)}`);
    expect(tally).toEqual({ replays: REPLAYS, otherAnswers: 0, reused: Math.ceil(REPLAYS / 11) });
    expect(await rowsOf()).toEqual(before);
    await Promise.all(devices.flat().map((device) => device.leave()));
    prove(context, { row: 19, tries: tally.replays, of: 'replays' });
  });

  const rowsOf = async (): Promise<unknown> => {
    const { rows } = await game.pool.query(
      `select (select jsonb_agg(e order by player_id, seq) from kibble.event e where player_id like '%again-%') as log,
         (select jsonb_agg(i order by player_id, item) from kibble.item i where player_id like '%again-%') as items`,
    );
    return rows;
  };
});
