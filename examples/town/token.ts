// The town's own tokens: `<hero>.<signature>`. Kibble never sees them, only what `onAuth` makes of them.
import { createHmac, timingSafeEqual } from 'node:crypto';

const signatureOf = (hero: string, secret: string): Buffer => createHmac('sha256', secret).update(hero).digest();

export const tokenOf = (hero: string, secret: string): string =>
  `${hero}.${signatureOf(hero, secret).toString('base64url')}`;

/** Throws for a token that is not ours. */
export const heroOf = (token: string, secret: string): string => {
  const [hero = '', signature = ''] = token.split('.');
  const given = Buffer.from(signature, 'base64url');
  const right = signatureOf(hero, secret);
  if (given.length !== right.length || !timingSafeEqual(given, right)) throw new Error('no citizen of this town');
  return hero;
};
