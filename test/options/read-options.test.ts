import { expect, it } from 'vitest';
import { OptionsRefused } from '../../shared/options/options-refused.ts';
import { readOptions } from '../../shared/options/read-options.ts';
import {
  callable,
  fields,
  having,
  instantMs,
  list,
  listOfNamed,
  matching,
  textUpTo,
  value,
  whole,
  wholeMs,
} from '../../shared/options/shapes.ts';

interface Kind {
  readonly kind: string;
  readonly fire?: () => void;
  readonly timeoutMs?: number;
}

interface Options {
  readonly pool: { query(): void };
  readonly kinds: readonly Kind[];
  readonly shards?: number;
  readonly dueAtMs?: number;
}

const kind = fields<Kind>(
  {
    kind: value((given) => typeof given === 'string', 'give a name'),
    fire: callable.optional(),
    timeoutMs: wholeMs({ min: 1, max: 1000 }).optional(),
  },
  ({ fire }) => (fire === undefined ? [{ at: ['fire'], remedy: 'give one', code: 'timer/bad-misfire' }] : []),
);

const options = fields<Options>({
  pool: having<Options['pool']>('query'),
  kinds: list(kind),
  shards: whole({ min: 1, max: 1024 }).optional(),
  dueAtMs: instantMs().optional(),
});

const good = { pool: { query: () => undefined }, kinds: [{ kind: 'a', fire: () => undefined }] };

const refused = (given: unknown): OptionsRefused => {
  try {
    readOptions(options, given, 'open');
  } catch (error) {
    if (error instanceof OptionsRefused) return error;
    throw error;
  }
  throw new Error('it was taken');
};

it('returns a copy of lists and known fields; functions and live objects stay the same ones', () => {
  const read = readOptions(options, good, 'open');
  expect(read).toEqual(good);
  expect(read.kinds).not.toBe(good.kinds);
  expect(read.pool).toBe(good.pool);
  expect(read.kinds[0]?.fire).toBe(good.kinds[0]?.fire);
});

it('reads each field once: what was checked is what is used', () => {
  let reads = 0;
  const shifty = {
    ...good,
    get shards() {
      reads += 1;
      return reads === 1 ? 4 : Number.NaN;
    },
  };
  expect(readOptions(options, shifty, 'open').shards).toBe(4);
  reads = 0;
  expect(readOptions(options, Object.create(shifty) as Options, 'open')).toEqual({ ...good, shards: 4 });
});

it('is not changed by what the caller does to its objects later', () => {
  const given = { ...good, kinds: [{ kind: 'a', fire: () => undefined }], shards: 4 };
  const read = readOptions(options, given, 'open');
  given.shards = Number.NaN;
  given.kinds[0] = { kind: '', fire: () => undefined };
  given.kinds.push({ kind: 'b', fire: () => undefined });
  expect([read.shards, read.kinds.map(({ kind }) => kind)]).toEqual([4, ['a']]);
});

it('leaves out a field that is undefined', () => {
  expect(Object.keys(readOptions(options, { ...good, shards: undefined }, 'open'))).toEqual(['pool', 'kinds']);
});

it('names all faults at once, each with its path, and says them a line each', () => {
  const kinds = [{ kind: 4, timeoutMs: 1.5 }, 5];
  const error = refused({ ...good, kinds, shard: 3, shards: Number.NaN });
  expect(error).toBeInstanceOf(TypeError);
  expect(error).toMatchObject({ name: 'OptionsRefused', code: 'options/invalid', retryable: false });
  expect(error.faults.map(({ path, code }) => [path, code])).toEqual([
    ['kinds[0].kind', 'options/invalid'],
    ['kinds[0].timeoutMs', 'options/invalid'],
    ['kinds[0].fire', 'timer/bad-misfire'],
    ['kinds[1]', 'options/invalid'],
    ['shards', 'options/invalid'],
    ['shard', 'options/invalid'],
  ]);
  expect(error.message.split('\n').slice(0, 3)).toEqual([
    'open refuses what it was given:',
    '  - kinds[0].kind is 4: give a name',
    '  - kinds[0].timeoutMs is 1.5: give whole milliseconds from 1 to 1000',
  ]);
  expect(error.message).toContain('shard is no field that is known: did you mean `shards`?');
});

it('says of an instant that it is too late, and what a Date has in its place', () => {
  expect(refused({ ...good, dueAtMs: 1e13 }).faults[0]?.what).toBe('is 10000000000000, too late');
  expect(refused({ ...good, dueAtMs: new Date(0) }).message).toContain('is a Date: give `date.getTime()`');
});

it('leaves what an object of a class keeps beside its fields to that class', () => {
  class Own {
    readonly kind = 'own';
    readonly kept = 2;
    readonly #secret = 1;
    fire(): number {
      return this.kept + this.#secret;
    }
  }
  expect(readOptions(options, { ...good, kinds: [new Own()] }, 'open').kinds[0]?.fire?.()).toBe(3);
});

it.each([undefined, null, 3n, Symbol('options'), 'text', [], Object.create(null)])(
  'refuses %s in place of options, and throws nothing else',
  (given) => {
    expect(refused(given).faults.length).toBeGreaterThan(0);
  },
);

it('refuses what cannot be read, and says why', () => {
  const cause = new Error('not now');
  const hostile = {
    get pool(): never {
      throw cause;
    },
  };
  expect(refused(hostile).cause).toBe(cause);
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  expect(refused(proxy).message).toContain('it cannot be read');
});

it('keeps a message short where many items are wrong, and has the first hundred in `faults`', () => {
  const error = refused({ ...good, kinds: Array.from({ length: 100 }, () => 5) });
  expect(error.faults).toHaveLength(100);
  expect(error.message.split('\n')).toHaveLength(22);
  expect(error.message).toMatch(/and 80 more, in `faults`$/);
  const more = refused({ ...good, kinds: Array.from({ length: 101 }, () => 5) });
  expect(more.faults).toHaveLength(100);
  expect(more.message).toMatch(/and 80 more, in `faults`; there may be others$/);
});

const holes = (length: number, entries: Readonly<Record<number, unknown>> = {}) =>
  Object.assign(new Array(length), entries);

it.each([
  ['with an entry far behind holes', holes(900_000, { 899999: good.kinds[0] }), 100],
  ['of holes', holes(1_000_000), 100],
  ['with its entries far behind', holes(3_000_001, { 3000000: good.kinds[0] }), 1],
  ['of the greatest length', holes(4_294_967_295), 1],
  ['with a hole between two entries', holes(3, { 0: good.kinds[0], 2: { ...good.kinds[0], kind: 'b' } }), 1],
])('a list %s is refused after few looks', (_, kinds, faults) => {
  expect(refused({ ...good, kinds }).faults).toHaveLength(faults);
  const named = listOfNamed(kind, 'kind');
  expect(() => readOptions(named, kinds, 'open')).toThrow(OptionsRefused);
  const few = list(kind).max(2, 'give at most 2');
  expect(() => readOptions(few, kinds, 'open')).toThrow('give at most 2');
});

it('a name that occurs again and again in a long list is refused with the first hundred places', () => {
  const kinds = Array.from({ length: 100_000 }, () => good.kinds[0]);
  try {
    readOptions(listOfNamed(kind, 'kind'), kinds, 'open');
    expect.unreachable();
  } catch (error) {
    expect((error as OptionsRefused).faults.map(({ path }) => path).slice(0, 2)).toEqual(['[1].kind', '[2].kind']);
    expect((error as OptionsRefused).faults).toHaveLength(100);
  }
});

it('unknown fields by the thousand, or with endless names, are refused with little text', () => {
  const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`field${at}`, 1]));
  expect(refused({ ...good, ...many }).faults).toHaveLength(100);
  expect(refused({ ...good, ['x'.repeat(1_000_000)]: 1 }).message.length).toBeLessThan(300);
});

it.each(['a\0', 'a\ud83d', '\udc4da', '\ud83d\ud83d'])('%j is no text, of any sort', (given) => {
  expect(() => readOptions(textUpTo(9), given, 'open')).toThrow(OptionsRefused);
  expect(() => readOptions(matching(/^[^x]+$/, 'give text'), given, 'open')).toThrow(OptionsRefused);
  expect(readOptions(textUpTo(9), 'a\u{1f44d}', 'open')).toBe('a\u{1f44d}');
});

it('says of a list that is too long this alone', () => {
  const short = fields<{ readonly items: readonly number[] }>({
    items: list(whole({ min: 0, max: 9 })).max(2, 'give at most 2'),
  });
  const read = (items: readonly number[]) => readOptions(short, { items }, 'open');
  expect(read([1, 2]).items).toEqual([1, 2]);
  expect(() => read([1, -1])).toThrow('items[1] is -1: give a whole number from 0 to 9');
  const alone = [expect.objectContaining({ path: 'items', what: 'is a list', remedy: 'give at most 2' })];
  expect(() => read([1, 2, -1])).toThrow(expect.objectContaining({ faults: alone }));
});
