import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { random } from '../../server/adapter/machine/random.ts';
import { createTokens } from '../../server/room/tokens.ts';
import { createMigrated } from '../harness/migrated.ts';
import { type RoomProcess, startRooms } from './room-process.ts';

export interface HomeProcess extends RoomProcess {
  /** Of so many new guests. */
  tokens(count: number): Promise<readonly string[]>;
}

/** The reference server as one process on a database of its own, with the timing wheel; `rules` as in a rules file. */
export const startHomes = async (
  postgresUrl: string,
  rules: object = {},
  kind: 'home' | 'home and village' = 'home',
): Promise<HomeProcess> => {
  const database = await createMigrated(postgresUrl);
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kibble-bench-'));
  const rulesFile = path.join(folder, 'rules.json');
  writeFileSync(rulesFile, JSON.stringify(rules));
  const jwtSecret = random.uniqueName();
  const server = await startRooms(kind, {
    PORT: '0',
    HOST: '127.0.0.1',
    DATABASE_URL: database.url,
    RULES_FILE: rulesFile,
    JWT_SECRET: jwtSecret,
    // Everybody comes from one address here.
    OPS_TOKENS: `bench:admin:${random.uniqueName()}`,
    DEV_TOOLS: '1',
  });
  const signer = createTokens({ jwtSecret }, random.uniqueName);
  return {
    ...server,
    tokens: (count) => Promise.all(Array.from({ length: count }, async () => (await signer.signGuest()) ?? '')),
    stop: async () => {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
      await database.drop();
    },
  };
};
