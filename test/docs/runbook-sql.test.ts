// On a bad day an operator runs the SQL of a page without a trial.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { runKibbleHere } from '../support/game/kibble-command.ts';
import { HOUR_MS, type OpsServer, startOpsServer, tokenOf, why } from '../support/game/ops-server.ts';

const page = readFileSync(path.join(import.meta.dirname, '../../docs/runbook.md'), 'utf8');
/** The blocks of one language below a heading, in order. */
const blocksOf = (heading: string, language: 'sql' | 'sh'): readonly string[] => {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const [own = ''] = section.split('\n## ');
  return [...own.matchAll(/```(\w+)\n([\s\S]*?)```/g)].flatMap(([, name, code = '']) =>
    name === language ? code : [],
  );
};
const [quiet = '', acts = ''] = blocksOf('Backup and restore', 'sql');
const [left = ''] = blocksOf('A wrong gift', 'sql');

const called: string[] = [];
const kinds = [{ kind: 'payment', call: async ({ subject }: { subject: string }) => called.push(subject) }];
let server: OpsServer;
beforeEach(async () => {
  called.length = 0;
  server = await startOpsServer(inject('postgresUrl'), { kinds });
  for (const playerId of ['ann', 'bea', 'cid']) {
    await server.play(playerId, { type: 'home:adopt', name: 'Rex', species: 'dog' });
  }
});
afterEach(() => server.close());

const snacks = async (playerId: string): Promise<number | undefined> =>
  (await server.ask('player', { playerId })).body.items.snack;
const gift = why({ filter: {}, items: { snack: 3 }, perSecond: 4 });
const jobId = gift.commandId;

describe('a restored database, and a copy', () => {
  it('do nothing by themselves after the SQL of the page', async () => {
    const timer = { kind: 'payment', owner: 'ann', subject: 'order-1', dueAtMs: server.clock.nowMs() + HOUR_MS };
    await server.kibble.timers.schedule([timer]);
    await server.ask('createJob', {}, gift);
    await server.kibble.ops.runJobs();
    const { database } = server;
    // As in the restored database: this process does nothing more.
    await server.pool.query(quiet);
    await server.stop();

    server = await startOpsServer(inject('postgresUrl'), { kinds, database });
    server.clock.advance(2 * HOUR_MS);
    await server.kibble.ops.runJobs();
    await server.kibble.runDue();
    const { kinds: all } = (await server.ask('overview')).body;
    expect(all).toContainEqual({ kind: 'payment', isPaused: true });
    expect(all.filter(({ isPaused }) => !isPaused)).toEqual([]);
    expect([called, (await server.ask('job', { jobId })).body]).toMatchObject([[], { state: 'stopped', done: 1 }]);

    await server.ask('resumeKind', { kind: 'payment' }, why());
    server.clock.advance(5000);
    await server.kibble.runDue();
    expect(called).toEqual(['order-1']);
  });

  it('has in its audit what operators did since the backup', async () => {
    await server.ask('freeze', { playerId: 'ann' }, why());
    await server.ask('pauseKind', { kind: 'payment' }, why());
    const { rows } = await server.pool.query(acts.replace('2026-11-30 03:00Z', '2026-01-01 03:00Z'));
    expect(rows).toMatchObject([
      { action: 'freeze', target: 'player:ann' },
      { action: 'pause', target: 'timers:payment' },
    ]);
  });
});

describe('a wrong gift', () => {
  const receivers = async (): Promise<readonly unknown[]> =>
    (await server.pool.query(left.replaceAll('<job>', jobId))).rows;

  const [, flags = ''] =
    /players take "\$player" (.+) <\/dev\/null/.exec(blocksOf('A wrong gift', 'sh')[0] ?? '') ?? [];
  /** As the shell passes the arguments of the page's command. */
  const take = (playerId: string) => {
    const words = flags.replaceAll('<job>', jobId).match(/'[^']*'|\S+/g) ?? [];
    const args = ['players', 'take', playerId, ...words.map((word) => word.replaceAll("'", ''))];
    return runKibbleHere(args, { KIBBLE_URL: server.address, KIBBLE_TOKEN: tokenOf('admin') });
  };

  it('is taken from each who got it, once, and the rest is named', { timeout: 60_000 }, async () => {
    const before = await snacks('ann');
    await server.ask('grant', { playerId: 'bea' }, why({ items: { gold: 1 } }));
    await server.ask('createJob', {}, gift);
    await server.kibble.ops.runJobs();
    await server.kibble.ops.runJobs();
    await server.ask('stopJob', { jobId }, why());
    expect(await receivers()).toEqual([
      { player_id: 'ann', merged_into: null },
      { player_id: 'bea', merged_into: null },
    ]);
    // One has spent the gift, as a guest who is another player now.
    await server.ask('merge', { playerId: 'bea' }, why({ into: 'cid' }));

    for (const _ of ['first', 'again']) {
      expect(await take('ann')).toMatchObject({ code: 0 });
      expect(await snacks('ann')).toBe(before);
    }
    expect(await take('bea')).toMatchObject({ code: 1, err: expect.stringContaining('item/out-of-stock') });
    expect(await receivers()).toEqual([{ player_id: 'bea', merged_into: 'player:cid' }]);
  });
});
