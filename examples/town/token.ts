// The town's own tokens: `<hero>.<signature>`. Kibble never sees them, only the result of `onAuth`.
import { createHmac, timingSafeEqual } from 'node:crypto';

const signatureOf = (hero: string, secret: string): Buffer => createHmac('sha256', secret).update(hero).digest();

export const tokenOf = (hero: string, secret: string): string =>
  `${hero}.${signatureOf(hero, secret).toString('base64url')}`;

/** Throws for a foreign token. By `auth/` a client knows that this token stays refused. */
export const heroOf = (token: string, secret: string): string => {
  const [hero = '', signature = ''] = token.split('.');
  const given = Buffer.from(signature, 'base64url');
  const right = signatureOf(hero, secret);
  if (given.length !== right.length || !timingSafeEqual(given, right)) throw new Error('auth/no-citizen');
  return hero;
};
