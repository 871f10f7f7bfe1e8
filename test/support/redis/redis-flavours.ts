import path from 'node:path';
import { debianRelease } from '../machine/debian-release.ts';
import type { RedisBinary } from './redis-binary.ts';

const cache = path.resolve(import.meta.dirname, '../../../node_modules/.cache/kibble');

/** Servers that speak as Redis does and that Debian has, besides the Redis 7 of the other tests. */
export const flavours = {
  'Redis 8.0': { program: 'redis-server', ...debian('trixie', ['redis-server', 'valkey-server']) },
  'Valkey 8.1': { program: 'valkey-server', ...debian('trixie', ['redis-server', 'valkey-server']) },
  'Redict 7.3': { program: 'redict-server', ...debian('bookworm-backports', ['redict-server'], 'bookworm') },
} as const;

function debian(suite: string, packages: readonly string[], ...more: readonly string[]) {
  return { release: () => debianRelease(path.join(cache, `redis-${suite}`), [suite, ...more], packages) };
}

/** The server program of a flavour, fetched once, or why it cannot be had here. */
export const foundFlavour = (
  name: keyof typeof flavours,
): { readonly binary?: RedisBinary; readonly reason?: string } => {
  const { program, release } = flavours[name];
  try {
    const [loader, ...before] = release().command(program);
    return { binary: { program: loader, before, environment: {} } };
  } catch (error) {
    return { reason: String(error) };
  }
};
