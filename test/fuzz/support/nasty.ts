import fc from 'fast-check';

/** Values that programs trip over. */
export const nasty: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    ...[
      null,
      true,
      false,
      0,
      -0,
      -1,
      1,
      1.5,
      1e308,
      -1e308,
      2 ** 31,
      2 ** 32,
      2 ** 53,
      2 ** 53 + 2,
      -(2 ** 53),
      Number.NaN,
    ],
    ...[
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
      Number.MIN_VALUE,
      '',
      ' ',
      '0',
      '-1',
      'NaN',
      '[object Object]',
    ],
    ...[
      '__proto__',
      'constructor',
      'prototype',
      'toString',
      'hasOwnProperty',
      'then',
      '$where',
      "'; drop table pet; --",
    ],
    ...['\u0000', '\ud800', '\u202e', '💥', '../../etc/passwd', '%00', '{{7*7}}', '<script>', 'a'.repeat(3_000)],
    ...[[], {}, [[]], [null], Object.fromEntries([['then', 1]]), { toString: 1 }, { length: 1e9 }, { valueOf: null }],
  ),
  fc.jsonValue({ maxDepth: 4 }),
  fc.double(),
  fc.maxSafeInteger(),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.integer({ min: 10, max: 900 }).map((depth) => {
    let value: unknown = 1;
    for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
    return value;
  }),
);
