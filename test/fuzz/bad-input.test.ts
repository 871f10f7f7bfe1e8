// Row 17 of the promises: no input crashes or hangs the server, or changes the home of another player.
import os from 'node:os';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HANG_MS, timed, tries } from '../proof/table/tries.ts';
import { requestText, sendRaw, statusOf, upgradeText } from '../support/machine/raw-http.ts';
import { prove } from '../support/properties/prove.ts';
import { Canary } from './support/canary.ts';
import { frames } from './support/frames.ts';
import { httpInputs } from './support/http-inputs.ts';
import { addressFor, inTime, RawClient } from './support/raw-client.ts';
import { SECRETS, scaled, sideBySide, startVictim, type Victim } from './support/victim.ts';

/**
 * Frames like the given ones with a byte or two changed, cut or doubled: cheaper than to make new ones, and closer to
 * what is right. The first byte stays: it could say goodbye. Same seed, same frames.
 */
const spoilt = (frames: readonly Uint8Array[], count: number, seed: number): readonly Uint8Array[] => {
  let state = seed >>> 0;
  const below = (end: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) % Math.max(1, end);
  };
  return Array.from({ length: count }, () => {
    const frame = Uint8Array.from(frames[below(frames.length)] ?? []);
    const at = 1 + below(frame.length - 1);
    const kind = below(8);
    if (kind === 0) return frame.subarray(0, at);
    if (kind === 1)
      return Uint8Array.from([...frame.subarray(0, at), ...frame.subarray(Math.max(1, at - 9))].slice(0, 4_000));
    for (let change = 0; change <= below(2); change++) {
      const place = 1 + below(frame.length - 1);
      if (place < frame.length) frame[place] = below(256);
    }
    return frame;
  });
};

const FRAMES = scaled(tries({ test: 8_800, proof: 88_000 }));
/** By the player's own limit all of them are looked at. */
const FRAMES_PER_CLIENT = 110;
const FRESH = 30;
const RAW = scaled(tries({ test: 400, proof: 4_000 }));
const REQUESTS = scaled(tries({ test: 800, proof: 8_000 }));
const SEED = Number(process.env.FUZZ_SEED ?? tries({ test: 1, proof: Math.floor(Math.random() * 2 ** 31) }));
const BYSTANDER = 'guest:bystander';
/** How long a player's commands beside it may take at p99. */
const CANARY_MS = timed(100);
/** A sender of bad input has its own machine: beside the canary it gets the lowest priority. */
const PRIORITY = tries({ test: os.getPriority(), proof: os.constants.priority.PRIORITY_LOW });

let victim: Victim;
beforeAll(async () => {
  victim = await startVictim();
});
afterAll(() => victim.close());

const sample = <Value>(values: fc.Arbitrary<Value>, numRuns: number, at: number): Value[] =>
  fc.sample(values, { numRuns, seed: SEED + at });

/** All rows of a player. */
const rowsOf = async (playerId: string): Promise<unknown> => {
  const rows = await Promise.all(
    ['home', 'thing', 'event', 'timers', 'home_hold'].map((table) =>
      victim.pool.query(
        `select to_jsonb(t) as row from kibble.${table} t where ${table.startsWith('timer') ? 'owner' : 'player_id'} = $1 order by 1`,
        [playerId],
      ),
    ),
  );
  return rows.map((result) => result.rows);
};

describe('bad input', () => {
  it(`of ${FRAMES + RAW + REQUESTS} pieces harms nobody (seed ${SEED})`, { timeout: HANG_MS }, async (context) => {
    const bystander = await RawClient.join(victim, BYSTANDER);
    const adopted = await bystander.ask('home:adopt', { commandId: 'bystander-1', name: 'Calm', species: 'dog' });
    expect(adopted?.status).toBe(0);
    await bystander.ask('home:feed', { commandId: 'bystander-2', petId: `${BYSTANDER}~p2`, food: 'dog-food' });
    const before = await rowsOf(BYSTANDER);
    const canary = await Canary.start(victim);
    os.setPriority(PRIORITY);
    const startedAtMs = performance.now();
    const tally = { frames: 0, clients: 0, droppedEarly: 0, raw: 0, requests: 0, statuses: new Map<number, number>() };

    await sideBySide(Math.ceil(FRAMES / FRAMES_PER_CLIENT), 6, async (at) => {
      const sub = `guest:fuzz-${at % 400}`;
      const client = await RawClient.join(victim, sub, addressFor(`${sub}/${at}`));
      // The first life of each gives it a pet, which the others misuse.
      if (at < 400) await client.ask('home:adopt', { commandId: 'first-pet', name: 'Rex', species: 'dog' });
      const pet = at % 3 === 0 ? `${BYSTANDER}~p2` : `${sub}~p2`;
      const fresh = sample(frames(pet), FRESH, at);
      for (const frame of [...fresh, ...spoilt(fresh, FRAMES_PER_CLIENT - FRESH, SEED + at)]) {
        client.send(frame as Uint8Array<ArrayBuffer>);
        tally.frames += 1;
      }
      // Either it was thrown out, or it is still answered: silence is a hang.
      if ((await client.ask('home:time', {})) === undefined) tally.droppedEarly += 1;
      await inTime(client.leave(), 'a farewell');
      tally.clients += 1;
    });

    const framesS = (performance.now() - startedAtMs) / 1_000;
    await sideBySide(RAW, 8, async (at) => {
      const bytes = Buffer.concat(sample(fc.uint8Array({ minLength: 1, maxLength: 300 }), 2, at));
      const head = at % 2 === 0 ? upgradeText(`/process${at % 9}/room${at}?sessionId=s${at}`) : '';
      await inTime(sendRawBriefly(Buffer.concat([Buffer.from(head), bytes])), 'raw bytes');
      tally.raw += 1;
    });

    const rawS = (performance.now() - startedAtMs) / 1_000;
    await sideBySide(REQUESTS, 8, async (at) => {
      const [input] = sample(httpInputs, 1, at);
      if (!input) return;
      const headers = { 'X-Forwarded-For': addressFor(`http ${at}`), ...input.headers };
      const answer = await inTime(sendRaw(victim.address, requestText(input.line, headers, input.body)), input.line);
      const status = statusOf(answer);
      tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1);
      expect(answer).not.toContain(' at file:');
      tally.requests += 1;
    });

    const seconds = (performance.now() - startedAtMs) / 1_000;
    const times = await canary.stop();
    const lines = victim.server.said().split('\n').length;
    console.info(
      `bad input: ${JSON.stringify({ ...tally, statuses: Object.fromEntries(tally.statuses), seconds: [framesS, rawS, seconds].map(Math.round), lines, seed: SEED })}`,
    );
    console.info(`canary beside it: ${JSON.stringify(times)}; rss ${victim.rssMb()?.toFixed(0)} MB`);
    expect(await rowsOf(BYSTANDER)).toEqual(before);
    expect(await bystander.ask('home:time', {})).toMatchObject({ status: 0 });
    await bystander.leave();
    expect(tally.frames + tally.raw + tally.requests).toBeGreaterThanOrEqual(FRAMES + RAW + REQUESTS);
    // All of them were answered, or `stop` had thrown.
    expect(times.commands).toBeGreaterThan(20);
    expect(times.p99Ms).toBeLessThanOrEqual(CANARY_MS);
    // The process that answered first answers still: it was never started anew.
    expect((await fetch(`${victim.address}/readyz`)).status).toBe(200);
    expect(victim.server.said().match(/ready at/g)).toHaveLength(1);
    const { rows } = await victim.pool.query(
      'select count(*)::int as wrong from kibble.home h where seq <> (select count(*) from kibble.event e where e.player_id = h.player_id)',
    );
    expect(rows).toEqual([{ wrong: 0 }]);
    // An attacker that can fill the log can hide in it.
    expect(lines).toBeLessThan(200);
    for (const secret of [SECRETS.JWT_SECRET, SECRETS.OPS_TOKENS.split(':')[2] ?? '']) {
      expect(victim.server.said()).not.toContain(secret);
    }
    // What was answered was right by chance.
    const right = [...tally.statuses].reduce((sum, [status, count]) => sum + (status < 300 ? count : 0), 0);
    const seen = `a player beside bad input: p50 ${times.p50Ms} ms, p99 ${times.p99Ms} ms, max ${times.maxMs} ms`;
    prove(
      context,
      // What a client that was thrown out had sent may never have been read.
      {
        row: 17,
        tries: tally.frames - tally.droppedEarly * FRAMES_PER_CLIENT + tally.raw + tally.requests - right,
        of: 'bad inputs',
      },
      { row: 17, tries: 1, of: 'players beside bad input, p99 <= 100 ms', seen },
    );
  });
});

/** Sends, then hangs up on its side: what a server makes of half a frame. */
const sendRawBriefly = (bytes: Uint8Array): Promise<string> => sendRaw(victim.address, bytes, { isShort: true });
