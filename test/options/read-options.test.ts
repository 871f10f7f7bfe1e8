import { expect, it } from 'vitest';
import { OptionsRefused } from '../../shared/options/options-refused.ts';
import { readOptions } from '../../shared/options/read-options.ts';
import { callable, fields, having, instantMs, list, value, whole, wholeMs } from '../../shared/options/shapes.ts';

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

it('returns what it was given, not a copy of it', () => {
  expect(readOptions(options, good, 'open')).toBe(good);
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
    readonly kept = 3;
    fire(): number {
      return this.kept;
    }
  }
  expect(() => readOptions(options, { ...good, kinds: [new Own()] }, 'open')).not.toThrow();
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

it('keeps a message short where a thousand items are wrong, and has all of them in `faults`', () => {
  const error = refused({ ...good, kinds: Array.from({ length: 1000 }, () => 5) });
  expect(error.faults).toHaveLength(1000);
  expect(error.message.split('\n')).toHaveLength(22);
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
