import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/**
 * The credible origin of a request: the connection's address; or, behind `trustedProxies` proxies of ours, the entry of
 * the outermost one in `X-Forwarded-For`. A client may have invented earlier entries. An IPv6 address is reduced to its
 * /64, which one customer gets.
 */
export const clientAddressOf = (request: IncomingMessage, trustedProxies: number): string => {
  const direct = request.socket.remoteAddress ?? '';
  if (trustedProxies === 0) return networkOf(direct);
  const hops = String(request.headers['x-forwarded-for'] ?? '').split(',');
  const told = withoutPort((hops.at(-trustedProxies) ?? '').trim());
  return networkOf(isIP(told) > 0 ? told : direct);
};

const withoutPort = (text: string): string => {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\](?::\d+)?|([^:]*)(?::\d+)?)$/.exec(text) ?? [];
  return bracketed ?? plain ?? text;
};

/** `::ffff:1.2.3.4` -> `1.2.3.4`; `2001:db8::1` -> `2001:db8:0:0::/64`. */
export const networkOf = (address: string): string => {
  const [plain = ''] = address.split('%', 1);
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1];
  if (mapped !== undefined || isIP(plain) !== 6) return mapped ?? plain;
  const [head = '', tail] = plain.toLowerCase().split('::', 2);
  const groups = head.split(':').filter((group) => group !== '');
  const behind = (tail ?? '').split(':').filter((group) => group !== '');
  // A dotted quad at the end counts as two groups.
  const length = groups.length + behind.length + (plain.includes('.') ? 1 : 0);
  const all = [...groups, ...Array<string>(tail === undefined ? 0 : Math.max(0, 8 - length)).fill('0'), ...behind];
  const first = all.slice(0, 4).map((group) => group.replace(/^0+(?=.)/, ''));
  return `${first.join(':')}::/64`;
};

export interface Origins {
  /** Origins besides the server's own. */
  readonly allowed: readonly string[];
  /** Other host names by which browsers reach the server. */
  readonly ownHosts: readonly string[];
}

/** The host of Colyseus' `publicAddress`: host, host:port or host/path. */
export const hostsOf = (publicAddress: string | undefined): readonly string[] =>
  publicAddress === undefined ? [] : [(publicAddress.split('/', 1)[0] ?? '').toLowerCase()];

/** Only browsers send an origin; other clients send none and need no permission. */
export const isAllowedOrigin = ({ origin, host }: IncomingHttpHeaders, { allowed, ownHosts }: Origins): boolean => {
  if (origin === undefined || allowed.includes(origin)) return true;
  const from = URL.canParse(origin) ? new URL(origin).host : '';
  return from !== '' && (from === host?.toLowerCase() || ownHosts.includes(from));
};

/**
 * Lets pages of the listed origins read responses. It never sends `*`: the SDK sends credentials, and then browsers
 * require the exact origin.
 */
export const corsHeadersOf = (
  origin: string | undefined,
  allowed: readonly string[],
  methods = 'GET, HEAD, POST',
): Record<string, string> =>
  origin === undefined || !allowed.includes(origin)
    ? { vary: 'Origin' }
    : {
        vary: 'Origin',
        'access-control-allow-origin': origin,
        'access-control-allow-credentials': 'true',
        'access-control-allow-headers': 'Origin, X-Requested-With, Content-Type, Accept, Authorization',
        'access-control-allow-methods': methods,
        'access-control-max-age': '600',
      };
