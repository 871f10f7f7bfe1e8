import path from 'node:path';
import { Client } from '@colyseus/sdk';
import { systemClock } from '../../../server/adapter/machine/system-clock.ts';
import type { Bearer } from '../../../server/home/revocations.ts';
import { type GameServerOptions, startGameServer } from '../../../server/reference/game-server.ts';
import { addRoutes } from '../../../server/reference/routes.ts';
import { createTokens, type Tokens } from '../../../server/room/tokens.ts';
import { limits } from '../../../server/settings/config.ts';
import { petsModules } from '../../../testing/pets-engine.ts';
import { FakeHomes } from './fake-homes.ts';

export interface HomeServer {
  readonly homes: FakeHomes;
  readonly tokens: Tokens;
  readonly address: string;
  /** The answer of `/readyz`. */
  readonly health: { degraded: readonly string[] | undefined };
  /** Faults that were reported to no client. */
  readonly faults: string[];
  /** A device of this guest. */
  client(sub: string): Promise<Client>;
  close(): Promise<void>;
}

/** A folder that is not there. */
const NO_PAGE = path.join(import.meta.dirname, 'no-page');
export const TEST_SECRET = 'k7Qz1v9XbT4mR8wLcY2nPdF6sJhA3gUe';

type Settings = Partial<GameServerOptions> & { readonly page?: string };

/** The reference server's rooms and routes on real sockets, with homes in memory. */
export const startHomeServer = async ({ page = NO_PAGE, ...settings }: Settings = {}): Promise<HomeServer> => {
  const homes = new FakeHomes();
  const faults: string[] = [];
  const health: HomeServer['health'] = { degraded: [] };
  let guests = 0;
  const tokens = createTokens({ jwtSecret: TEST_SECRET }, () => `${++guests}`);
  const server = await startGameServer({
    homes,
    tokens,
    catalogue: homes.catalogue,
    modules: petsModules(),
    limits: limits.events,
    clock: systemClock,
    maxPayload: 4096,
    port: 0,
    host: '127.0.0.1',
    routes: (app) =>
      addRoutes(app, {
        tokens,
        health: { degraded: async () => health.degraded },
        catalogue: homes.catalogue,
        works: () => ({}),
        page,
        hasOtherHosts: false,
      }),
    onFault: (message) => faults.push(message),
    ...settings,
  });
  return {
    homes,
    tokens,
    health,
    faults,
    address: server.address,
    client: async (sub) => {
      const client = new Client(server.address);
      client.auth.token = (await tokens.signGuest(sub)) ?? '';
      return client;
    },
    close: () => server.close(),
  };
};

/** Revoked keys in memory, as rooms ask for them: what they ask at joins and what they have seen are the same. */
export const revokedList = () => {
  const issuedUntilMs = new Map<string, number>();
  const wasRevoked = ({ keys, issuedAtMs }: Bearer): boolean =>
    keys.some((key) => (issuedUntilMs.get(key) ?? -1) >= issuedAtMs);
  return {
    revoke: (key: string, untilMs: number): void => void issuedUntilMs.set(key, untilMs),
    wasRevoked,
    isRevoked: async (bearer: Bearer): Promise<boolean> => wasRevoked(bearer),
  };
};
