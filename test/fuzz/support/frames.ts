import fc from 'fast-check';
import { nasty } from './nasty.ts';
import { dataFrame, pack, packRecord, packText, requestFrame } from './pack.ts';

/** Valid messages of clients. `pet` stands for an existing pet. */
const meant = (pet: string): Readonly<Record<string, Record<string, unknown>>> => ({
  'home:adopt': { commandId: 'command-1', name: 'Rex', species: 'dog' },
  'home:feed': { commandId: 'command-2', petId: pet, food: 'dog-food' },
  'home:use-card': { commandId: 'command-3', petId: pet, card: 'speed-up', count: 1, maxWastedMs: 0 },
  'home:disarm': { commandId: 'command-4', petId: pet, count: 1 },
  'home:stop': { commandId: 'command-5', petId: pet },
  'home:release': { commandId: 'command-6', petId: `${pet}-none` },
  'home:quote': { command: 'home:feed', payload: { petId: pet, food: 'dog-food' } },
  'home:sync': { afterSeq: 0, epoch: 'e', limit: 10 },
  'home:time': {},
});

type Change = (payload: Record<string, unknown>) => unknown;

const change: fc.Arbitrary<Change> = fc.oneof(
  nasty.map((value) => () => value),
  fc.tuple(fc.nat(6), nasty).map(
    ([at, value]): Change =>
      (payload) => {
        const key = Object.keys(payload)[at % Math.max(1, Object.keys(payload).length)] ?? 'petId';
        return { ...payload, [key]: value };
      },
  ),
  fc.nat(6).map(
    (at): Change =>
      (payload) => {
        const { [Object.keys(payload)[at] ?? '']: _, ...rest } = payload;
        return rest;
      },
  ),
  fc
    .tuple(fc.constantFrom('__proto__', 'constructor', 'toString', 'then', 'type', 'playerId', 'a'.repeat(300)), nasty)
    .map(
      ([key, value]): Change =>
        (payload) =>
          Object.fromEntries([...Object.entries(payload), [key, value]]),
    ),
  fc.tuple(fc.string({ minLength: 8, maxLength: 64 }), nasty).map(
    ([commandId, value]): Change =>
      (payload) => ({
        ...payload,
        commandId,
        count: value,
      }),
  ),
);

const name = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom(...Object.keys(meant(''))) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      '*',
      '__proto__',
      'constructor',
      'home:grant',
      'home:take',
      'home:nope',
      'x'.repeat(99),
    ),
  },
);

/** Headers that promise more than comes, unused types, and depth. */
const lies: fc.Arbitrary<Buffer> = fc
  .tuple(
    fc.constantFrom(
      0xdd,
      0xdf,
      0xdb,
      0xc6,
      0xc9,
      0xdc,
      0xde,
      0xda,
      0xc5,
      0xc8,
      0xd4,
      0xd5,
      0xd6,
      0xd7,
      0xd8,
      0xc1,
      0xc7,
    ),
    fc.uint8Array({ maxLength: 40 }),
  )
  .map(([code, rest]) => Buffer.concat([Buffer.from([code]), Buffer.from(rest)]));
const deep = fc
  .tuple(fc.constantFrom(0x91, 0x81, 0x9f, 0xdd), fc.integer({ min: 1, max: 3_900 }))
  .map(([code, length]) => Buffer.alloc(length, code));
const body = (pet: string) =>
  fc.tuple(name, change, fc.boolean()).map(([type, spoil, isRecord]) => {
    const value = spoil({ ...meant(pet)[type] });
    const bytes = isRecord && typeof value === 'object' && value !== null ? packRecord(value) : pack(value);
    return { type, bytes };
  });

/** One frame of a client that means no good. `pet` is one of its own. */
export const frames = (pet: string): fc.Arbitrary<Uint8Array> =>
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.tuple(body(pet), fc.nat(99)).map(([{ type, bytes }, id]) => requestFrame(id, type, bytes)),
    },
    { weight: 4, arbitrary: body(pet).map(({ type, bytes }) => dataFrame(type, bytes)) },
    {
      weight: 2,
      arbitrary: fc.tuple(body(pet), fc.nat(200), fc.nat(255)).map(([{ type, bytes }, at, value]) => {
        const frame = requestFrame(7, type, bytes);
        frame[at % frame.length] = value;
        return frame;
      }),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(body(pet), fc.nat(60))
        .map(([{ type, bytes }, length]) => requestFrame(7, type, bytes).subarray(0, length)),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(name, fc.oneof(lies, deep))
        .map(([type, bytes]) => requestFrame(7, type, bytes).subarray(0, 4_000)),
    },
    {
      weight: 1,
      arbitrary: fc.oneof(lies, deep).map((bytes) => Buffer.concat([Buffer.from([13]), bytes]).subarray(0, 4_000)),
    },
    {
      weight: 2,
      // All codes of the protocol but the one that says goodbye, with modifiers.
      arbitrary: fc
        .tuple(
          fc.nat(255).filter((code) => (code & 31) !== 12),
          fc.uint8Array({ maxLength: 60 }),
        )
        .map(([code, rest]) => Buffer.concat([Buffer.from([code]), Buffer.from(rest)])),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom(13, 17, 21), fc.string({ unit: 'binary' }))
        .map(([code, text]) => Buffer.concat([Buffer.from([code]), packText(text)])),
    },
  );
