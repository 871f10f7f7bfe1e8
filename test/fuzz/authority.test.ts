// Row 19 of the promises: no player acts on another player's home, or receives its events.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requestText, sendRaw, statusOf } from '../support/machine/raw-http.ts';
import { seatOf } from '../support/machine/raw-socket.ts';
import { prove } from '../support/properties/prove.ts';
import { foreignJoins, foreignMessages, foreignRoutes, type Owned } from './support/foreign-ids.ts';
import { addressFor, RawClient } from './support/raw-client.ts';
import { startVictim, type Victim } from './support/victim.ts';

const ALICE = 'guest:alice';
const MALLORY = 'guest:mallory';
const SECRET_NAME = 'Zanzibar';

let victim: Victim;
let alice: RawClient;
let hers: Owned;
beforeAll(async () => {
  victim = await startVictim();
  const seat = await seatOf(victim, ALICE, { 'x-forwarded-for': addressFor(ALICE) });
  alice = await RawClient.sit(victim, seat, addressFor(ALICE));
  const petId = `${ALICE}~p2`;
  await alice.ask('home:adopt', { commandId: 'alice-adopts', name: SECRET_NAME, species: 'dog' });
  await alice.ask('home:feed', { commandId: 'alice-feeds', petId, food: 'dog-food' });
  const { rows } = await victim.pool.query(
    `select state#>>'{feeding,feedingId}' as run, id from kibble.thing where player_id = $1`,
    [ALICE],
  );
  const [{ run, id }] = rows as [{ run: string; id: string }];
  hers = { playerId: ALICE, petId, feedingId: run, timerId: String(id), roomId: seat.roomId };
});
afterAll(async () => {
  await alice.leave();
  await victim.close();
});

/** All rows of a player. */
const rowsOf = async (playerId: string): Promise<unknown> => {
  const { rows } = await victim.pool.query(
    `select (select jsonb_agg(e order by seq) from kibble.event e where player_id = $1) as log,
       (select jsonb_agg(x order by thing_id) from kibble.thing x where player_id = $1) as things,
       (select jsonb_agg(i order by item) from kibble.item i where player_id = $1) as items,
       (select jsonb_agg(d order by id) from kibble.timers d where owner = $1) as timers`,
    [playerId],
  );
  return rows;
};

/** Alice's data in a reply, besides the sender's own text. */
const foreignBytes = (bytes: string, said: string): readonly string[] =>
  [SECRET_NAME, ALICE, hers.feedingId, hers.roomId].filter((own) => bytes.includes(own) && !said.includes(own));

describe('with another player’s ids', () => {
  it('every message is refused, and not a byte of the other comes back', async (context) => {
    const before = await rowsOf(ALICE);
    const accepted: string[] = [];
    let tried = 0;
    for (const which of ['commands', 'questions'] as const) {
      const sub = `${MALLORY}-${which}`;
      const mallory = await RawClient.join(victim, sub);
      const adopted = { commandId: 'mallory-adopts', name: 'Rex', species: 'dog' };
      expect(await mallory.ask('home:adopt', adopted)).toMatchObject({ status: 0 });
      for (const [type, payload] of foreignMessages(`${sub}~p2`, hers)[which]) {
        const answer = await mallory.ask(type, payload);
        const message = `${type} ${JSON.stringify(payload)}`;
        // An answer for want of patience would say nothing of rights.
        expect(answer?.body.toString('latin1') ?? 'gone').not.toMatch(/gone|rate\/limited|server\/unavailable/);
        if (answer?.status === 0) accepted.push(message);
        expect([message, foreignBytes(answer?.body.toString('latin1') ?? '', message)]).toEqual([message, []]);
        tried += 1;
      }
      await mallory.ask('home:sync', { afterSeq: 0, snapshot: true });
      // The part of its own message that a refusal repeats was checked above.
      const received = Buffer.concat(mallory.received).toString('latin1');
      expect(received).not.toContain(SECRET_NAME);
      await mallory.leave();
    }
    console.info(`foreign ids: ${tried} messages, accepted ${accepted.length}`);
    expect(accepted).toEqual([]);
    expect(await rowsOf(ALICE)).toEqual(before);
    prove(context, { row: 19, tries: tried, of: 'messages with foreign ids' });
  });

  it('a command’s id that another has used does what its sender says, and tells nothing of the other’s', async () => {
    const before = await rowsOf(ALICE);
    const mallory = await RawClient.join(victim, MALLORY);
    for (const commandId of ['alice-adopts', 'alice-feeds']) {
      const answer = await mallory.ask('home:adopt', { commandId, name: 'Rex', species: 'dog' });
      expect(answer).toMatchObject({ status: 0 });
      expect(answer?.body.toString('latin1')).toContain(`${MALLORY}~p`);
      expect(foreignBytes(answer?.body.toString('latin1') ?? '', '')).toEqual([]);
    }
    await mallory.leave();
    expect(await rowsOf(ALICE)).toEqual(before);
  });

  it('no route of the operators and no way into a room is open, whatever the options say', async (context) => {
    const before = await rowsOf(ALICE);
    const token = (await victim.tokens.signGuest(MALLORY)) ?? '';
    const ask = (line: string, body: string, at: number): Promise<string> => {
      const headers = { 'X-Forwarded-For': addressFor(`${line} ${at}`), 'Content-Type': 'application/json' };
      return sendRaw(victim.address, requestText(line, { ...headers, Authorization: `Bearer ${token}` }, body));
    };
    const routes = foreignRoutes(hers);
    for (const [at, { line, body }] of routes.entries()) {
      const answer = await ask(line, body, at);
      expect([line, statusOf(answer), foreignBytes(answer, line + body)]).toEqual([line, 401, []]);
    }
    const joins = foreignJoins(hers);
    for (const [at, { line, body }] of joins.entries()) {
      const answer = await ask(line, body, at);
      // A seat in the own home is all that can come of it.
      const isOwnSeat = line.endsWith('/joinOrCreate/home');
      expect([line, body, statusOf(answer) === 200]).toEqual([line, body, isOwnSeat]);
      expect([line, body, foreignBytes(answer, isOwnSeat ? '' : line + body)]).toEqual([line, body, []]);
    }
    console.info(`foreign ids: ${routes.length} routes of operators, ${joins.length} joins`);
    expect(await rowsOf(ALICE)).toEqual(before);
    prove(context, { row: 19, tries: routes.length + joins.length, of: 'routes with foreign ids' });
  });
});
