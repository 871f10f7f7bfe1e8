import { Room } from '@colyseus/sdk';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isMessagePack } from '../../../server/room/around-colyseus/message-pack-shape.ts';
import { pack } from '../../fuzz/support/pack.ts';

/** The SDK's own bytes behind the message's name. */
const sent = (value: unknown): Uint8Array => {
  let frame = new Uint8Array();
  const room = new Room('home');
  Object.assign(room, { connection: { isOpen: true, send: (bytes: Uint8Array) => (frame = bytes.slice()) } });
  (room as unknown as { send(type: string, payload: unknown): void }).send('x', value);
  // The code, and the name with its length.
  return frame.subarray(3);
};

describe('what the SDK packs is let through', () => {
  it.each([
    [{ afterSeq: undefined, list: [1, -1, 1.5, 2 ** 40, -(2 ** 40), 'a'.repeat(300)], no: null, yes: true }],
    [new Date(1_700_000_000_000)],
    [new Date(1_700_000_000_123)],
    [Array.from({ length: 70 }, (_, at) => at)],
    [Object.fromEntries(Array.from({ length: 70 }, (_, at) => [`key ${at}`, at]))],
    [7],
    [[{ commandId: 'a', name: 'b' }, { commandId: 'c', name: 'd' }, { name: { commandId: 64, name: 65 } }]],
  ])('%j', (value) => {
    expect(isMessagePack(sent(value), 0)).toBe(true);
  });

  it('and whatever else JSON holds, as long as it is not deep', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        expect(isMessagePack(sent(value), 0)).toBe(true);
        expect(isMessagePack(pack(value), 0)).toBe(true);
      }),
    );
  });
});

describe('what a game sends is let through in its own room', () => {
  class Hero {
    name = 'Ann';
  }
  const nested = (depth: number): unknown => Array.from({ length: depth }).reduce((inner) => [inner], 1);

  it.each([
    ['bytes', new Uint8Array([1, 2, 3])],
    ['a set', new Set([1, 'a'])],
    ['a map', new Map([['a', { b: 1 }]])],
    ['an error', new Error('a')],
    ['an expression', /a/g],
    ['numbers of a kind', new Float32Array([1, 2])],
    ['an object of a class', new Hero()],
    ['a long number', 2n ** 60n],
    ['depth', nested(200)],
    ['a hundred shapes', Array.from({ length: 100 }, (_, at) => ({ [`key ${at}`]: at }))],
  ])('%s', (_what, value) => {
    expect(isMessagePack(sent(value), 0, false)).toBe(true);
  });

  it('and whatever else JSON holds', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => isMessagePack(sent(value), 0, false)));
  });
});

describe('what is none is kept out', () => {
  it.each([
    ['nothing', []],
    ['half a list', [0x92, 1]],
    ['a list longer than the frame', [0xdd, 0xff, 0xff, 0xff, 0xff]],
    ['a text longer than the frame', [0xdb, 0xff, 0xff, 0xff, 0xff, 65]],
    ['a length that is cut off', [0xdc, 0]],
    ['more than one value', [1, 2]],
    ['what nobody uses', [0xc1]],
    ['an extension that makes objects', [0xd4, 0x72, 0x40]],
    ['a record without its values', [0xd4, 0x72, 0x40, 0x91, 0xa1, 97]],
    ['a record whose keys are no texts', [0xd4, 0x72, 0x40, 0x91, 1, 1]],
    ['records that grow', [0xd4, 0x72, 0x41, 0x92, 0xa1, 97, 0xa1, 98, 0x41, 0x41]],
    ['an expression', [0xd5, 0x78, 1, 1]],
    ['depth', Array.from({ length: 17 }, () => 0x91).concat(1)],
  ])('%s', (_what, bytes) => {
    expect(isMessagePack(Uint8Array.from(bytes), 0)).toBe(false);
  });

  it('of a game’s own room as well, but for extensions and depth, which Colyseus judges', () => {
    for (const bytes of [[], [0x92, 1], [0xdd, 255, 255, 255, 255], [1, 2], [0xc1], [0xd4, 0x72, 0x40, 0x91, 1, 1]]) {
      expect(isMessagePack(Uint8Array.from(bytes), 0, false)).toBe(false);
    }
    expect(isMessagePack(Uint8Array.from([...Array(300).fill(0x91), 1]), 0, false)).toBe(false);
  });

  it('and anything that is cut short', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.nat(), (value, at) => {
        const bytes = pack(value);
        expect(isMessagePack(bytes.subarray(0, at % bytes.length), 0)).toBe(false);
      }),
    );
  });
});
