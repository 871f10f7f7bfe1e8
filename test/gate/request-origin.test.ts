import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { clientAddressOf, networkOf } from '../../server/gate/request-origin.ts';

const from = (remoteAddress: string, forwarded?: string) =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage;

describe('where a request comes from', () => {
  it.each([
    ['no proxy is trusted, whatever is claimed', 0, '10.0.0.1', '1.1.1.1', '10.0.0.1'],
    ['one proxy wrote the last entry', 1, '10.0.0.1', '6.6.6.6, 1.1.1.1', '1.1.1.1'],
    ['two proxies wrote the last two', 2, '10.0.0.1', '6.6.6.6, 1.1.1.1, 10.0.0.2', '1.1.1.1'],
    ['fewer entries than proxies say nothing', 2, '10.0.0.1', '6.6.6.6', '10.0.0.1'],
    ['no entry says nothing', 1, '10.0.0.1', undefined, '10.0.0.1'],
    ['what is no address says nothing', 1, '10.0.0.1', 'unknown', '10.0.0.1'],
    ['a port belongs to no address', 1, '10.0.0.1', '1.1.1.1:443', '1.1.1.1'],
    ['nor behind brackets', 1, '10.0.0.1', '[2001:db8::1]:443', '2001:db8:0:0::/64'],
  ])('%s', (_what, proxies, direct, forwarded, address) => {
    expect(clientAddressOf(from(direct, forwarded), proxies)).toBe(address);
  });

  it.each([
    ['::ffff:1.2.3.4', '1.2.3.4'],
    ['::1', '0:0:0:0::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:0001::9', '2001:db8:1:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::1.2.3.4', '64:ff9b:0:0::/64'],
    ['1.2.3.4', '1.2.3.4'],
  ])('%s is counted as %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
