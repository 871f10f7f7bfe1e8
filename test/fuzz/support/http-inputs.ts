import fc from 'fast-check';
import { nasty } from './nasty.ts';

const word = fc.oneof(
  fc.constantFrom(
    'home',
    'joinOrCreate',
    'reconnect',
    'joinById',
    'create',
    '__proto__',
    'constructor',
    '..',
    '%2e%2e',
    '%00',
    '%',
    '',
  ),
  fc.string({ unit: 'binary', maxLength: 12 }),
);
const route = fc.oneof(
  fc.constantFrom(
    '/',
    '/livez',
    '/readyz',
    '/metrics',
    '/__healthcheck',
    '/auth/anonymous',
    '/matchmake/joinOrCreate/home',
  ),
  fc.constantFrom(
    '/ops/',
    '/ops/api/overview',
    '/ops/api/players/x/grant',
    '/matchmake/reconnect/home',
    '/api/reference',
    '//',
  ),
  fc.tuple(word, word).map(([method, room]) => `/matchmake/${method}/${room}`),
  fc.array(word, { maxLength: 4 }).map((words) => `/${words.join('/')}`),
);
const header = fc.tuple(
  fc.constantFrom(
    'Host',
    'Origin',
    'Content-Type',
    'X-Forwarded-Proto',
    'X-Forwarded-Host',
    'Forwarded',
    'X-Real-IP',
    'Authorization',
  ),
  fc.oneof(
    fc.constantFrom(
      '[',
      'a b',
      '*',
      'null',
      'http://evil',
      'multipart/form-data',
      'application/json;',
      'Bearer',
      'Bearer e30.e30.',
      'ws://',
      ',',
    ),
    fc.string({ maxLength: 40 }),
    fc.constant('a'.repeat(7_000)),
  ),
);

export interface HttpInput {
  readonly line: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A request that is at least one to HTTP: nothing in it breaks a line. */
export const httpInputs: fc.Arbitrary<HttpInput> = fc
  .record({
    method: fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom('GET', 'POST') },
      {
        weight: 1,
        arbitrary: fc.constantFrom('PUT', 'HEAD', 'OPTIONS', 'TRACE', 'DELETE', 'PATCH', 'CONNECT', 'BREW'),
      },
    ),
    path: route,
    headers: fc.array(header, { maxLength: 3 }),
    body: fc.oneof(
      fc.constantFrom(
        '',
        '{',
        '{}',
        '[]',
        'null',
        '{"__proto__":{"playerId":"x"}}',
        '{"reconnectionToken":{"toString":1}}',
      ),
      fc.json({ maxDepth: 4 }),
      nasty.map((value) => JSON.stringify({ afterSeq: value, playerId: value, reconnectionToken: value }) ?? ''),
    ),
  })
  .map(({ method, path, headers, body }) => ({
    line: `${method} ${withoutBreaks(path)}`,
    headers: Object.fromEntries(headers.map(([key, value]) => [key, withoutBreaks(value)])),
    body: body.slice(0, 8_000),
  }));

const withoutBreaks = (text: string): string => text.replace(/[\r\n ]+/g, '~');
