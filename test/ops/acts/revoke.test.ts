import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createPool } from '../../../server/adapter/postgres/pool.ts';
import { playerKey, tokenKey } from '../../../server/home/revocations.ts';
import { type OpsServer, startOpsServer, why } from '../../support/game/ops-server.ts';
import { silentLog } from '../../support/log/logs.ts';

const DAY_MS = 86_400_000;
let server: OpsServer;
beforeAll(async () => {
  server = await startOpsServer(inject('postgresUrl'));
});
afterAll(() => server.close());

const isRevoked = (key: string, issuedAtMs: number): Promise<boolean> =>
  server.kibble.ops.revocations.isRevoked({ keys: [key], issuedAtMs });

describe('tokens of a player are revoked', () => {
  it('as far as they were issued until then, whether the player has a home or not', async () => {
    const { status, body } = await server.ask('revokeTokens', { playerId: 'ann' }, why(), 'support');
    const { revokedAtMs } = body.answer;
    expect(status).toBe(200);
    expect(await isRevoked(playerKey('ann'), revokedAtMs)).toBe(true);
    expect(await isRevoked(playerKey('ann'), 0)).toBe(true);
    expect(await isRevoked(playerKey('ann'), revokedAtMs + 1)).toBe(false);
    expect(await isRevoked(playerKey('bea'), 0)).toBe(false);
  });

  it('once for each commandId, with who and why in the audit', async () => {
    const body = why();
    const first = await server.ask('revokeTokens', { playerId: 'cleo' }, body, 'support');
    expect(await server.ask('revokeTokens', { playerId: 'cleo' }, body, 'support')).toEqual(first);
    const { entries } = (await server.ask('audit', {}, { target: 'player:cleo' })).body;
    expect(entries).toMatchObject([
      { actor: 'the-support', action: 'revoke', reason: body.reason, after: first.body.answer },
    ]);
  });

  it('with an entry in the audit that an erasure finds, whether the player has a home or not', async () => {
    const { revokedAtMs } = (await server.ask('revokeTokens', { playerId: 'finn' }, why())).body.answer;
    const erase = () => server.ask('erase', { playerId: 'finn' }, why());
    expect(await erase()).toMatchObject({ status: 200, body: { answer: { removed: { home: 0 } } } });
    expect((await server.ask('audit', {}, { target: 'player:finn' })).body.entries).toEqual([]);
    expect(await isRevoked(playerKey('finn'), revokedAtMs)).toBe(true);
    expect(await erase()).toMatchObject({ status: 404, body: { code: 'player/unknown' } });
  });

  it('not on trial, and not by a viewer', async () => {
    expect((await server.ask('revokeTokens', { playerId: 'dora' }, why({ dryRun: true }))).body.isDryRun).toBe(true);
    expect((await server.ask('revokeTokens', { playerId: 'dora' }, why(), 'viewer')).status).toBe(403);
    expect(await isRevoked(playerKey('dora'), 0)).toBe(false);
  });
});

describe('one token is revoked', () => {
  it('by its id, whenever it was issued; the audit has a hash of it', async () => {
    const body = why({ tokenId: 'token-1' });
    expect((await server.ask('revokeToken', {}, body, 'support')).status).toBe(200);
    expect(await isRevoked(tokenKey('token-1'), Date.now() + DAY_MS)).toBe(true);
    expect(await isRevoked(tokenKey('token-2'), 0)).toBe(false);
    const { entries } = (await server.ask('audit', {}, { target: tokenKey('token-1') })).body;
    expect(entries).toHaveLength(1);
    expect(JSON.stringify(entries)).not.toContain('token-1');
  });

  it('and forgotten a day after it and any renewal have ended; what has no end is not', async () => {
    const nowMs = Date.now();
    for (const [tokenId, endsAtMs] of [
      ['ends-soon', nowMs + DAY_MS],
      ['ends-late', nowMs + 200 * DAY_MS],
      ['endless', undefined],
    ] as const) {
      await server.ask('revokeToken', {}, why({ tokenId, ...(endsAtMs === undefined ? {} : { endsAtMs }) }));
    }
    const knownAfter = async (days: number): Promise<readonly boolean[]> => {
      const passed = `revoked_at = revoked_at - ${days * DAY_MS}, until_at = until_at - ${days * DAY_MS}`;
      await server.pool.query(`update kibble.revoked set ${passed}`);
      await server.ask('revokeToken', {}, why({ tokenId: `another-after-${days}` }));
      return Promise.all(['ends-soon', 'ends-late', 'endless'].map((tokenId) => isRevoked(tokenKey(tokenId), 0)));
    };
    expect(await knownAfter(180.5)).toEqual([true, true, true]);
    expect(await knownAfter(1)).toEqual([false, true, true]);
    expect(await knownAfter(20)).toEqual([false, false, true]);
  });
});

it('what was revoked while nobody could look is seen at the next look', async () => {
  await server.ask('revokeTokens', { playerId: 'emma' }, why());
  const pool = createPool({ url: server.database.url, max: 1, log: silentLog });
  const key = playerKey('emma');
  await pool.query('update kibble.revoked set revoked_at = revoked_at - 3600000 where bearer = $1', [key]);
  const { revocations } = server.kibble.ops;
  const { nowMs, revoked } = await revocations.recent();
  const seen = [revoked, (await revocations.recent(nowMs - 3_600_000)).revoked];
  expect(seen.map((keys) => keys.some((each) => each.key === key))).toEqual([false, true]);
  await pool.end();
});
