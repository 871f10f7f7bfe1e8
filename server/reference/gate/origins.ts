import type { IncomingHttpHeaders } from 'node:http';

export interface Origins {
  /** Besides those of the server itself. */
  readonly allowed: readonly string[];
  /** Under which names browsers know the server, besides the one that they ask for. */
  readonly ownHosts: readonly string[];
}

/** Only browsers say where a page comes from; a game client that is none says nothing and needs no permission. */
export const isWelcome = ({ origin, host }: IncomingHttpHeaders, { allowed, ownHosts }: Origins): boolean => {
  if (origin === undefined || allowed.includes(origin)) return true;
  const from = URL.canParse(origin) ? new URL(origin).host : '';
  return from !== '' && (from === host?.toLowerCase() || ownHosts.includes(from));
};

/**
 * Lets pages of the listed origins read responses. Nobody else is named, and never `*`: the SDK asks with credentials,
 * with which browsers take no other permission than the very origin.
 */
export const corsHeadersOf = (origin: string | undefined, allowed: readonly string[]): Record<string, string> =>
  origin === undefined || !allowed.includes(origin)
    ? { vary: 'Origin' }
    : {
        vary: 'Origin',
        'access-control-allow-origin': origin,
        'access-control-allow-credentials': 'true',
        'access-control-allow-headers': 'Origin, X-Requested-With, Content-Type, Accept, Authorization',
        'access-control-allow-methods': 'GET, HEAD, POST',
        'access-control-max-age': '600',
      };
