import { describe, expect, it } from 'vitest';
import {
  type CommandType,
  eventsMessage,
  quoteReply,
  rejection,
  rejectionCodes,
  reply,
} from '../../shared/pets/protocol.ts';
import { joinOptions, reject, syncMessage, timeMessage } from '../../shared/protocol.ts';
import { parseCommand, parseQuoted } from '../../testing/pets-engine.ts';

const commandId = 'command-1';
const LONE = '\ud800';
const feed = { petId: 'anna~p2', food: 'dog-food', commandId };
const card = { petId: 'anna~p2', card: 'speed-up', commandId };
const accepts = (type: CommandType, payload: unknown): boolean => parseCommand(type, payload).ok;

describe('a command over the wire', () => {
  it('is its payload with its type, and the commandId beside it', () => {
    expect(parseCommand('home:feed', feed)).toEqual({
      ok: true,
      value: { commandId, command: { type: 'home:feed', petId: 'anna~p2', food: 'dog-food' } },
    });
  });

  it('may leave out what is optional', () => {
    expect(accepts('home:use-card', card)).toBe(true);
    expect(accepts('home:use-card', { ...card, feedingId: 'anna~f3', count: 2, maxWastedMs: 0 })).toBe(true);
    expect(accepts('home:disarm', { petId: 'p', commandId })).toBe(true);
    expect(accepts('home:stop', { petId: 'p', commandId })).toBe(true);
    expect(accepts('home:release', { petId: 'p', commandId })).toBe(true);
  });

  it.each<[string, CommandType, unknown]>([
    ['an unknown field', 'home:feed', { ...feed, playerId: 'bob' }],
    ['a __proto__ of its own', 'home:release', JSON.parse(`{"petId":"p","commandId":"${commandId}","__proto__":{}}`)],
    ['a missing field', 'home:feed', { petId: 'p', commandId }],
    ['no commandId', 'home:feed', { petId: 'p', food: 'f' }],
    ['a number for an id', 'home:feed', { ...feed, petId: 7 }],
    ['a list for an id', 'home:feed', { ...feed, petId: ['p'] }],
    ['an empty id', 'home:feed', { ...feed, petId: '' }],
    ['an id of 201 characters', 'home:feed', { ...feed, petId: 'p'.repeat(201) }],
    ['NUL in an id', 'home:feed', { ...feed, petId: 'p\0' }],
    ['a line break in an id', 'home:feed', { ...feed, food: 'a\nb' }],
    ['a lone surrogate in an id', 'home:feed', { ...feed, petId: `p${LONE}` }],
    ['a lone surrogate in a feedingId', 'home:stop', { petId: 'p', feedingId: LONE, commandId }],
    ['NUL in a commandId', 'home:feed', { ...feed, commandId: '1234567\0' }],
    ['a lone surrogate in a commandId', 'home:feed', { ...feed, commandId: `1234567${LONE}` }],
    ['count null', 'home:use-card', { ...card, count: null }],
    ['a negative maxWastedMs', 'home:use-card', { ...card, maxWastedMs: -1 }],
    ['an infinite maxWastedMs', 'home:use-card', { ...card, maxWastedMs: Number.POSITIVE_INFINITY }],
    ['a name that is no text', 'home:adopt', { name: { toString: 'x' }, species: 'dog', commandId }],
    ['no items', 'home:grant', { items: {}, reason: 'gift', commandId }],
    [
      'an item named __proto__',
      'home:grant',
      { items: JSON.parse('{"__proto__":1,"a":1}'), reason: 'gift', commandId },
    ],
    ['an item named constructor', 'home:take', { items: { constructor: 1 }, reason: 'gift', commandId }],
    ['a huge grant', 'home:grant', { items: { a: 1e300 }, reason: 'gift', commandId }],
    ['nothing', 'home:feed', undefined],
    ['null', 'home:feed', null],
    ['text', 'home:feed', 'petId'],
    ['a list', 'home:feed', [feed]],
  ])('is refused with %s', (_, type, payload) => {
    expect(parseCommand(type, payload)).toMatchObject({ ok: false, error: { code: 'command/invalid' } });
  });

  it.each([
    [7, false],
    [8, true],
    [64, true],
    [65, false],
  ])('with a commandId of %i characters is accepted: %s', (length, isAccepted) => {
    expect(accepts('home:feed', { ...feed, commandId: 'x'.repeat(length) })).toBe(isAccepted);
  });

  it.each([
    [1, true],
    [1000, true],
    [0, false],
    [-1, false],
    [1.5, false],
    [1001, false],
    [2 ** 60, false],
    [Number.NaN, false],
    ['1', false],
  ])('with a count of %s is accepted: %s', (count, isAccepted) => {
    expect(accepts('home:use-card', { ...card, count })).toBe(isAccepted);
    expect(accepts('home:disarm', { petId: 'p', count, commandId })).toBe(isAccepted);
  });

  it('is refused without repeating anything that was sent', () => {
    const secret = 'do-not-echo';
    const refusals = [
      parseCommand('home:feed', { ...feed, [secret]: secret, petId: { [secret]: secret } }),
      parseCommand('home:use-card', { ...card, count: secret, maxWastedMs: secret }),
      parseCommand('home:grant', {
        items: { [`${secret}\0`]: secret, [secret.toUpperCase()]: 1 },
        reason: 'x',
        commandId,
      }),
      parseQuoted({ command: secret, payload: {} }),
      parseQuoted({ command: 'home:feed', payload: { [secret]: secret }, [secret]: 1 }),
    ];
    for (const refusal of refusals) {
      expect(refusal.ok).toBe(false);
      expect(JSON.stringify(refusal).toLowerCase()).not.toContain(secret);
    }
  });

  it.each(['gold.coin', 'item:1001', 'sword+1', '0f8fad5b-d9cb-469f-a165-70867728950e'])(
    'may move an item that an inventory calls %s',
    (item) => {
      const given = { items: { [item]: 1 }, reason: 'x', commandId };
      expect(parseCommand('home:grant', given)).toMatchObject({ ok: true });
      expect(parseCommand('home:take', given)).toMatchObject({ ok: true });
    },
  );

  it('is refused with at most ten faults', () => {
    const items = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`item-${at}`, 0]));
    const refusal = parseCommand('home:grant', { items, reason: 'x', commandId });
    expect(!refusal.ok && refusal.error.params.faults).toHaveLength(10);
  });
});

describe('a quote', () => {
  it('is the command with or without a commandId', () => {
    const command = { type: 'home:stop', petId: 'p' };
    expect(parseQuoted({ command: 'home:stop', payload: { petId: 'p' } })).toEqual({ ok: true, value: command });
    expect(parseQuoted({ command: 'home:stop', payload: { petId: 'p', commandId }, commandId })).toEqual({
      ok: true,
      value: command,
    });
  });

  it.each<[string, unknown]>([
    ['a command of the server', { command: 'home:grant', payload: { items: { a: 1 }, reason: 'x' } }],
    ['a command that is not known', { command: 'constructor', payload: {} }],
    ['a bad commandId', { command: 'home:stop', payload: { petId: 'p', commandId: 7 } }],
    ['an unknown field in the payload', { command: 'home:stop', payload: { petId: 'p', type: 'home:grant' } }],
    ['an unknown field', { command: 'home:stop', payload: { petId: 'p' }, playerId: 'bob' }],
    ['a __proto__ in the payload', { command: 'home:stop', payload: JSON.parse('{"petId":"p","__proto__":{}}') }],
    ['no payload', { command: 'home:stop' }],
    ['null', null],
  ])('is refused with %s', (_, message) => {
    expect(parseQuoted(message)).toMatchObject({ ok: false, error: { code: 'command/invalid' } });
  });
});

describe('the other messages', () => {
  it('home:sync wants a whole afterSeq and at most 500', () => {
    expect(syncMessage.safeParse({ afterSeq: 0, limit: 500, epoch: 'e' }).success).toBe(true);
    for (const bad of [{}, { afterSeq: -1 }, { afterSeq: 0.5 }, { afterSeq: 0, limit: 501 }, { afterSeq: 0, x: 1 }]) {
      expect(syncMessage.safeParse(bad).success).toBe(false);
    }
  });

  it('home:time wants nothing, and no more than a commandId', () => {
    for (const good of [undefined, null, {}, { commandId }]) expect(timeMessage.safeParse(good).success).toBe(true);
    for (const bad of [1, [], { at: 1 }, { commandId: 'short' }])
      expect(timeMessage.safeParse(bad).success).toBe(false);
  });

  it('the options of a join other than the cursor are not read', () => {
    expect(joinOptions.parse({ afterSeq: 3, playerId: 'bob' })).toEqual({ afterSeq: 3 });
  });

  it('every rejection passes its schema, and only the world and the rate can be retried', () => {
    for (const code of rejectionCodes) expect(rejection.safeParse(reject(code)).success).toBe(true);
    expect(rejectionCodes.filter((code) => reject(code).retryable)).toEqual(['rate/limited', 'server/unavailable']);
  });

  it('events have their place in the log, but those of a quote have no seq', () => {
    const quoted = { v: 1, at: 5, type: 'pet-released', petId: 'p' };
    const event = { ...quoted, seq: 1, commandId };
    expect(eventsMessage.safeParse({ events: [event], nowMs: 5 }).success).toBe(true);
    expect(reply.safeParse({ seq: 1, nowMs: 5, events: [event] }).success).toBe(true);
    expect(reply.safeParse({ seq: 1, nowMs: 5, events: [quoted] }).success).toBe(false);
    expect(quoteReply.safeParse({ seq: 1, nowMs: 5, events: [quoted] }).success).toBe(true);
  });
});
