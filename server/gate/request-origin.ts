import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/**
 * Where a request comes from, as far as it can be believed: the address of the connection; or, behind `trustedProxies`
 * proxies of ours, what the outermost of them wrote into `X-Forwarded-For`. Entries before that one are the client's
 * own invention. An IPv6 address is cut to its /64, which is what one customer gets.
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
  // A dotted quad at the end stands for two groups.
  const length = groups.length + behind.length + (plain.includes('.') ? 1 : 0);
  const all = [...groups, ...Array<string>(tail === undefined ? 0 : Math.max(0, 8 - length)).fill('0'), ...behind];
  const first = all.slice(0, 4).map((group) => group.replace(/^0+(?=.)/, ''));
  return `${first.join(':')}::/64`;
};

export interface Origins {
  /** Besides those of the server itself. */
  readonly allowed: readonly string[];
  /** Under which names browsers know the server, besides the one that they ask for. */
  readonly ownHosts: readonly string[];
}

/** The host of Colyseus' `publicAddress`: host, host:port or host/path. */
export const hostsOf = (publicAddress: string | undefined): readonly string[] =>
  publicAddress === undefined ? [] : [(publicAddress.split('/', 1)[0] ?? '').toLowerCase()];

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
