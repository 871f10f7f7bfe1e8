import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DrawPlace, drawingOf, fieldsOf, type Seed } from '../../server/domain/chance.ts';
import { bitsBy } from '../../server/home/model/draw-bits.ts';
import { tries } from '../proof/table/tries.ts';
import { prove } from '../support/properties/prove.ts';

const DRAWS = tries({ test: 4_000, proof: 1_000_000 });
const SECRET = 'of the installation';
const seed: Seed = { bits: bitsBy(SECRET), epoch: 'e1', life: 0 };
const place: DrawPlace = { playerId: 'anna', module: 'aa', rule: 'complete', thing: 'x', nextSeq: 11 };
type Bits = (seed: Seed, place: DrawPlace, number: number) => number;
const bits: Bits = (by, at, number) => by.bits(fieldsOf(by, at, number));
const chanceOf = (by: Seed = seed, at: DrawPlace = place) => drawingOf(by, at).chance;
const times = <Value>(count: number, draw: () => Value): Value[] => Array.from({ length: count }, draw);

/** Throws where two draws that differ in one field are the same, or hang together otherwise. */
const holdApart = (of: Bits): void => {
  const others: readonly Parameters<Bits>[] = [
    [{ ...seed, bits: bitsBy('of another') }, place, 1],
    [{ ...seed, label: 'quote' }, place, 1],
    [{ ...seed, epoch: 'e2' }, place, 1],
    [{ ...seed, life: 1 }, place, 1],
    [seed, { ...place, playerId: 'bea' }, 1],
    [seed, { ...place, module: 'bb' }, 1],
    [seed, { ...place, rule: 'decide.say' }, 1],
    [seed, { ...place, thing: 'y' }, 1],
    [seed, { ...place, nextSeq: 12 }, 1],
    [seed, place, 2],
    // The same letters, divided otherwise.
    [seed, { ...place, module: 'aac', rule: 'omplete' }, 1],
    [seed, { ...place, rule: 'completex', thing: '' }, 1],
    [seed, { ...place, thing: 'x1', nextSeq: 1 }, 1],
  ];
  const drawn = [of(seed, place, 1), ...others.map((each) => of(...each))];
  if (new Set(drawn).size < drawn.length) throw new Error('two draws are one');
  if (of(seed, place, 1) !== drawn[0]) throw new Error('a draw is another one when it is drawn again');
};

describe('a draw', () => {
  it('is of all its fields', () => {
    holdApart(bits);
  });

  it.for(fieldsOf(seed, place, 1).map((_, at) => at))('that leaves out field %i is found', (at, context) => {
    expect(() => holdApart((by, of, number) => by.bits(fieldsOf(by, of, number).toSpliced(at, 1)))).toThrow(
      'two draws are one',
    );
    prove(context, { row: 29, tries: 1, of: 'planted faults of chance, all found' });
  });

  it('that leaves out the secret, or the lengths of fields, is found', (context) => {
    expect(() => holdApart((by, of, number) => seed.bits(fieldsOf(by, of, number)))).toThrow('two draws are one');
    const joined: Bits = (by, of, number) =>
      Number(
        createHmac('sha256', by === seed ? SECRET : 'of another')
          .update(fieldsOf(by, of, number).join(''))
          .digest()
          .readBigUInt64BE() >> 11n,
      );
    expect(() => holdApart(joined)).toThrow('two draws are one');
    prove(context, { row: 29, tries: 2, of: 'planted faults of chance, all found' });
  });

  it('is HMAC-SHA256 over fields with their lengths, of which the first 53 bits count: it never changes', () => {
    const text = ['draw', 'e1', 'anna', '0', 'aa', 'complete', 'x', '11', '1'].map((each) => `${each.length}:${each}`);
    const hex = createHmac('sha256', SECRET).update(text.join('')).digest('hex');
    const first = Number(BigInt(`0x${hex.slice(0, 16)}`) >> 11n);
    expect(bits(seed, place, 1)).toBe(first);
    expect(chanceOf().fraction()).toBe(first / 2 ** 53);
    expect(chanceOf().fraction()).toBe(0.5257482246126018);
    expect(times(5, () => chanceOf().whole(1, 6))).toEqual(times(5, () => chanceOf().whole(1, 6)));
  });
});

/** Throws where a draw below `count` favours some: of three equal parts each has a third of the draws. */
const holdEven = (below: (count: number, number: number) => number): void => {
  const count = 3 * 2 ** 51;
  const draws = Array.from({ length: 3000 }, (_, at) => below(count, at));
  for (const part of [0, 1, 2]) {
    const share = draws.filter((drawn) => Math.floor(drawn / 2 ** 51) === part).length / draws.length;
    if (Math.abs(share - 1 / 3) > 0.05) throw new Error(`part ${part} has ${share} of the draws`);
  }
};

describe('chance', () => {
  it('favours none of the numbers', (context) => {
    holdEven((count, at) => chanceOf(seed, { ...place, nextSeq: at }).whole(0, count - 1));
    // The planted fault: the remainder of 2^53 by that count.
    expect(() => holdEven((count, at) => bits(seed, place, at) % count)).toThrow(/part 0 has 0\.[45]/);
    prove(context, { row: 29, tries: 1, of: 'planted faults of chance, all found' });
  });

  it('draws fractions from 0 on and below 1, and numbers between the two that are given, both of them too', () => {
    for (const drawn of times(1000, chanceOf().fraction)) expect(drawn >= 0 && drawn < 1).toBe(true);
    const ones = Array.from({ length: 200 }, (_, nextSeq) => chanceOf(seed, { ...place, nextSeq }).whole(-1, 1));
    expect(new Set(ones)).toEqual(new Set([-1, 0, 1]));
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.maxSafeNat(), fc.nat(), (from, more, nextSeq) => {
        const to = from + more;
        fc.pre(Number.isSafeInteger(to) && Number.isSafeInteger(to - from + 1));
        const drawn = chanceOf(seed, { ...place, nextSeq }).whole(from, to);
        expect(Number.isSafeInteger(drawn) && drawn >= from && drawn <= to).toBe(true);
      }),
    );
  });

  it('picks as often as the weights say, and never what has the weight 0', (context) => {
    const of = [
      { name: 'often', weight: 70 },
      { name: 'never', weight: 0 },
      { name: 'sometimes', weight: 25 },
      { name: 'seldom', weight: 5 },
    ];
    const counts = Map.groupBy(
      Array.from({ length: DRAWS }, (_, nextSeq) => chanceOf(seed, { ...place, nextSeq }).pick(of).name),
      (name) => name,
    );
    const shares = Object.fromEntries([...counts].map(([name, all]) => [name, (100 * all.length) / DRAWS]));
    expect(Object.keys(shares).sort()).toEqual(['often', 'seldom', 'sometimes']);
    for (const { name, weight } of of) expect(Math.abs((shares[name] ?? 0) - weight)).toBeLessThan(3);
    expect(chanceOf().pick(of)).toBe(of.find((each) => each === chanceOf().pick(of)));
    prove(context, { row: 29, tries: DRAWS, of: 'draws by weights', seen: JSON.stringify(shares) });
  });

  it.each([
    [() => chanceOf().whole(3, 1), /chance\.whole\(3, 1\): give whole numbers/],
    [() => chanceOf().whole(0.5, 1), /chance\.whole\(0\.5, 1\)/],
    [() => chanceOf().whole(1, Number.NaN), /chance\.whole\(1, NaN\)/],
    [() => chanceOf().whole(0, 2 ** 53), /less than 2\^53 apart/],
    [() => chanceOf().whole(-1, Number.MAX_SAFE_INTEGER), /less than 2\^53 apart/],
    [() => chanceOf().whole('1' as never, 2), /chance\.whole/],
    [() => chanceOf().pick([]), /the weights sum up to 0/],
    [() => chanceOf().pick([{ weight: 0 }, { weight: 0 }]), /the weights sum up to 0/],
    [() => chanceOf().pick([{ weight: 3 }, { weight: -1 }]), /the weight -1 is no whole number/],
    [() => chanceOf().pick([{ weight: 0.5 }]), /the weight 0\.5/],
    [() => chanceOf().pick([{} as never]), /the weight undefined/],
    [() => chanceOf().pick([{ weight: 2 ** 52 }, { weight: 2 ** 52 }]), /the weights sum up to 9007199254740992/],
    [() => drawingOf(undefined, place).chance.fraction(), /no chance here/],
  ])('names what it cannot draw: %s', (draw, why) => {
    expect(draw).toThrow(why);
  });

  it('is for a thousand draws of one call, however often a number is drawn again', () => {
    const { whole } = chanceOf();
    // Almost every second one is beyond the last whole multiple.
    const drawn = times(1000, () => whole(0, 2 ** 52));
    expect(new Set(drawn).size).toBe(1000);
    expect(() => whole(0, 1)).toThrow('more than 1000 times in one call');
  });

  it('ends with its call', () => {
    const drawing = drawingOf(seed, place);
    expect(drawing.hasDrawn()).toBe(false);
    drawing.chance.fraction();
    expect(drawing.hasDrawn()).toBe(true);
    drawing.end();
    expect(drawing.chance.fraction).toThrow('when its call is over');
    expect(() => drawing.chance.whole(1, 2)).toThrow('when its call is over');
    expect(() => drawing.chance.pick([{ weight: 1 }])).toThrow('when its call is over');
  });

  it('never picks what weighs nothing, and picks each of two that weigh 1', () => {
    const { pick } = chanceOf();
    const [nothing, one, other] = [{ weight: 0 }, { weight: 1 }, { weight: 1 }];
    expect(new Set(times(100, () => pick([nothing, one, other])))).toEqual(new Set([one, other]));
  });
});
