import { generateKeyPairSync } from 'node:crypto';
import { type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose';

const FAR_S = 4_000_000_000;
const ALICE = { sub: 'alice', iss: 'https://id.example', aud: 'game', exp: FAR_S };
const GUEST = { sub: 'guest:alice', iss: 'kibble-guest', exp: FAR_S };

const base64 = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const unsigned = (header: object, claims: object, signature = ''): string =>
  `${base64(header)}.${base64(claims)}.${signature}`;
const flipped = (text: string): string => (text.endsWith('A') ? `${text.slice(0, -1)}Q` : `${text.slice(0, -1)}A`);

/** Tokens that must be refused where `secret` signs for the issuer `https://id.example`, the audience `game`, and guests. */
export const badTokens = async (secret: string): Promise<ReadonlyMap<string, string>> => {
  const key = new TextEncoder().encode(secret);
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const by = (
    claims: JWTPayload,
    with_: Parameters<SignJWT['sign']>[0] = key,
    header: Partial<JWTHeaderParameters> = {},
  ) => new SignJWT(claims).setProtectedHeader({ alg: 'HS256', ...header }).sign(with_);
  const without = (name: string, claims: Record<string, unknown> = ALICE): JWTPayload =>
    Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name));
  const good = await by(ALICE);
  const guest = await by(GUEST);
  const [head = '', body = '', signature = ''] = good.split('.');
  const [, guestBody = ''] = guest.split('.');
  const tokens: Record<string, string | Promise<string>> = {
    ...Object.fromEntries(
      ['none', 'None', 'NONE', 'nOnE', '', 'HS1', 'null', 'HS256 '].map((alg) => [
        `algorithm "${alg}"`,
        unsigned({ alg }, ALICE),
      ]),
    ),
    'algorithm none with a signature': unsigned({ alg: 'none' }, ALICE, signature),
    'algorithm none for a guest': unsigned({ alg: 'none' }, GUEST),
    'no algorithm': unsigned({ typ: 'JWT' }, ALICE, signature),
    'algorithm of another type': unsigned({ alg: ['HS256'] }, ALICE, signature),
    'another secret': by(ALICE, new TextEncoder().encode('another secret of thirty-two chars')),
    'an empty secret': by(ALICE, new Uint8Array(32)),
    'the secret in hex': by(ALICE, new TextEncoder().encode(Buffer.from(secret).toString('hex'))),
    'the secret cut short': by(ALICE, new TextEncoder().encode(secret.slice(0, -1).padEnd(32, ' '))),
    'a public key as the secret': by(ALICE, new TextEncoder().encode(pem)),
    'RS256 where a secret signs': by(ALICE, rsa.privateKey, { alg: 'RS256' }),
    'PS256 where a secret signs': by(ALICE, rsa.privateKey, { alg: 'PS256' }),
    'its own key in the header': by(ALICE, rsa.privateKey, {
      alg: 'RS256',
      jwk: rsa.publicKey.export({ format: 'jwk' }) as never,
    }),
    'a key set in the header': by(ALICE, rsa.privateKey, { alg: 'RS256', jku: 'https://evil.example/jwks.json' }),
    'a certificate in the header': by(ALICE, rsa.privateKey, { alg: 'RS256', x5u: 'https://evil.example/cert.pem' }),
    'a key id that is a path': by(ALICE, new Uint8Array(32), { kid: '../../../../dev/null' }),
    'a key id that is SQL': by(ALICE, new Uint8Array(32), { kid: "x' union select 'y" }),
    'a demand nobody knows': by(ALICE, key, { crit: ['b64'], b64: false } as never).catch(() =>
      unsigned({ alg: 'HS256', crit: ['nope'], nope: 1 }, ALICE, signature),
    ),
    'an unknown demand': unsigned({ alg: 'HS256', crit: ['nope'], nope: 1 }, ALICE, signature),
    'another issuer': by({ ...ALICE, iss: 'https://evil.example' }),
    'the issuer with a slash': by({ ...ALICE, iss: 'https://id.example/' }),
    'the issuer in capitals': by({ ...ALICE, iss: 'HTTPS://ID.EXAMPLE' }),
    'no issuer': by(without('iss')),
    'an empty issuer': by({ ...ALICE, iss: '' }),
    'a list of issuers': by({ ...ALICE, iss: ['https://id.example'] as never }),
    'another audience': by({ ...ALICE, aud: 'shop' }),
    'no audience': by(without('aud')),
    'an empty list of audiences': by({ ...ALICE, aud: [] }),
    'an expired one': by({ ...ALICE, exp: 1 }),
    'an expired guest': by({ ...GUEST, exp: 1 }),
    'no end': by(without('exp')),
    'an end that is text': by({ ...ALICE, exp: '4000000000' as never }),
    'an end that is nothing': by({ ...ALICE, exp: null as never }),
    'a negative end': by({ ...ALICE, exp: -1 }),
    'not yet': by({ ...ALICE, nbf: FAR_S - 1 }),
    'not yet, as text': by({ ...ALICE, nbf: 'soon' as never }),
    'no subject': by(without('sub')),
    'an empty subject': by({ ...ALICE, sub: '' }),
    'a subject that is a number': by({ ...ALICE, sub: 7 as never }),
    'a subject that is an object': by({ ...ALICE, sub: { toString: 'alice' } as never }),
    'a subject that is a list': by({ ...ALICE, sub: ['alice'] as never }),
    'a subject that is too long': by({ ...ALICE, sub: 'a'.repeat(129) }),
    'a subject with a slash': by({ ...ALICE, sub: '../alice' }),
    'a subject with a line break': by({ ...ALICE, sub: 'alice\nbob' }),
    'a subject with a zero': by({ ...ALICE, sub: 'alice\u0000' }),
    'a subject with a tilde': by({ ...ALICE, sub: 'alice~p2' }),
    'a guest of another issuer': by({ ...ALICE, sub: 'guest:alice' }),
    'the guests’ issuer for somebody else': by({ ...GUEST, sub: 'alice' }),
    'the guests’ issuer, another algorithm': by(GUEST, key, { alg: 'HS512' }),
    'a guest without an end': by(without('exp', GUEST)),
    'a guest without a name': by(without('sub', GUEST)),
    'the claims of another under its signature': `${head}.${base64({ ...ALICE, sub: 'mallory' })}.${signature}`,
    'the guest’s claims under another signature': `${head}.${guestBody}.${signature}`,
    'a signature that is off by a bit': `${head}.${body}.${flipped(signature.slice(0, 20))}${signature.slice(20)}`,
    'a signature that is cut': `${head}.${body}.${signature.slice(0, -2)}`,
    'no signature': `${head}.${body}.`,
    'two parts': `${head}.${body}`,
    'four parts': `${good}.${signature}`,
    'five parts': 'a.b.c.d.e',
    garbage: 'garbage',
    dots: '...',
    JSON: JSON.stringify(ALICE),
    'claims that are no JSON': `${head}.${base64('{')}.${signature}`,
    'claims that are a list': `${head}.${base64([])}.${signature}`,
    'a header that is no JSON': `${base64('{')}.${body}.${signature}`,
    'no text at all': '',
  };
  return new Map(await Promise.all(Object.entries(tokens).map(async ([what, token]) => [what, await token] as const)));
};
