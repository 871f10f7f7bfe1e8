import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type ServerProcess, startServer } from '../../examples/support/server-process.ts';
import { command, runKibble, runKibbleHere } from '../support/game/kibble-command.ts';
import { joinHome } from '../support/game/player.ts';

const VIEWER = 'viewer-token-k7Qz1v9XbT4mR8wLcY2n';
const ADMIN = 'admin-token-Pd6sJhA3gUe9zX5vK1qW';
let folder: string;
let server: ServerProcess;
let playerId: string;
let petId: string;
let feedingId: string;
const env = (): Record<string, string> => ({ DATA_DIR: folder, KIBBLE_TOKEN: ADMIN });
const kibble = (...args: readonly string[]) => runKibbleHere(args, env());
/** As a process: it ends by itself, with this code, and loads a game's modules as Node does. */
const kibbleProcess = (...args: readonly string[]) => runKibble(args, env());
const json = async (...args: readonly string[]) => {
  const ran = await kibble('--json', ...args);
  if (ran.code !== 0) throw new Error(ran.err);
  return JSON.parse(ran.out);
};
const why = ['--reason', 'because of a test'];

beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'kibble-cli-'));
  server = await startServer({
    PORT: '0',
    HOST: '127.0.0.1',
    DATA_DIR: folder,
    OPS_TOKENS: `vera:viewer:${VIEWER},ada:admin:${ADMIN}`,
  });
  const player = await joinHome(server.address);
  petId = (await player.ask('home:adopt', { name: 'Rex', species: 'dog' })).petId ?? '';
  feedingId = (await player.ask('home:feed', { petId, food: 'dog-food' })).feedingId ?? '';
  playerId = player.state.playerId;
  player.room.connection.close();
}, 60_000);

afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

it('ends without an error when its output is closed', async () => {
  const child = spawn(process.execPath, [command, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  const [[code], err] = await Promise.all([once(child, 'close'), text(child.stderr)]);
  expect({ code, err }).toEqual({ code: 141, err: '' });
});

describe('used wrongly, kibble says what is wrong and ends with 2:', { timeout: 60_000 }, () => {
  it.each([
    ['an unknown command', ['plyers'], /unknown command/],
    ['an unknown command of a group', ['players', 'feed', 'ann'], /unknown command/],
    ['an unknown flag', ['status', '--fast'], /unknown option '--fast'/],
    ['a missing argument', ['players', 'show'], /missing required argument 'playerId'/],
    ['a write without a reason', ['players', 'freeze', 'ann'], /needs a reason/],
    ['a reason that is none', ['players', 'freeze', 'ann', '--reason', 'x'], /3 to 500/],
    ['items of another form', ['players', 'grant', 'ann', '--items', 'snack', ...why], /name=count/],
    ['no duration', ['timers', 'shift', '1', '--by', 'soon', ...why], /soon is no duration/],
    ['an id that cannot be one', ['players', 'show', 'a b'], /no player id/],
    ['an id that no timer has', ['timers', 'show', '007'], /no timer id/],
    ['something final without --yes', ['players', 'erase', 'ann', ...why], /cannot be taken back; pass --yes/],
    ['a token without an id', ['revoke', '--jwt', `e30.${btoa('{"sub":"ann"}')}.e30`, ...why], /--player ann/],
    ['nobody to revoke', ['revoke', ...why], /--jwt or --player/],
    ['an url that is none', ['status', '--url', 'nowhere'], /--url is no URL/],
  ])('%s', async (_, args, told) => {
    const { code, err, out } = await kibble(...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(told);
  });

  it('no server that it could know of', async () => {
    const { code, err } = await runKibble(['status'], { DATA_DIR: path.join(folder, 'empty') });
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('pass --url or set KIBBLE_URL') });
  });

  it('settings that are wrong', async () => {
    const { code, err } = await runKibble(['verify'], { DATABASE_URL: 'mysql://localhost' });
    expect(code).toBe(1);
    expect(err).toMatch(/DATABASE_URL: must be a URL that starts with postgres:/);
  });
});

describe('what fails, fails with 1 and in words:', { timeout: 60_000 }, () => {
  it.each([
    ['a wrong token', ['status', '--token', 'wrong'], /token is missing or wrong/],
    [
      'a token of two lines',
      ['status', '--token', 'a\nb'],
      /: the token has characters that no token has: pass --token/,
    ],
    [
      'a role that may not',
      ['players', 'freeze', 'ann', ...why, '--token', VIEWER],
      /needs the role support; the token has viewer/,
    ],
    ['a player that does not exist', ['players', 'show', 'nobody'], /no player with this id/],
    ['a timer that does not exist', ['timers', 'show', '999999'], /no timer with this id/],
    ['a server that is away', ['status', '--url', 'http://127.0.0.1:1'], /no server answers at http:\/\/127.0.0.1:1/],
  ])('%s', async (_, args, told) => {
    const { code, err } = await kibble(...args);
    expect(code).toBe(1);
    expect(err).toMatch(told);
  });

  it('as JSON when asked', async () => {
    const { code, err } = await kibbleProcess('--json', 'players', 'show', 'nobody');
    expect(code).toBe(1);
    expect(JSON.parse(err)).toMatchObject({ code: 'player/unknown', params: { playerId: 'nobody' } });
  });
});

describe('kibble, with nothing but the data folder,', { timeout: 60_000 }, () => {
  it('finds the server by the address that it left there, and takes it back at the end', async () => {
    expect(readFileSync(path.join(folder, 'address'), 'utf8')).toBe(server.address);
    const { code, out } = await kibbleProcess('status');
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('players 1, timers pending 1') });
  });

  it('finds a player by a pet’s name, shows the home and explains the feeding', async () => {
    expect(await json('search', 'rex')).toMatchObject({ hits: [{ type: 'thing', id: petId, playerId }], isCut: false });
    const { code, out } = await kibble('players', 'show', playerId);
    expect(code).toBe(0);
    expect(out).toMatch(/pets +\S+~p2 +Rex .*dog · 0 xp · eats dog-food/);
    expect(out).toMatch(/feeding-started .*began to eat dog-food: 4 h of work, due \d{4}/);
    const { out: explained } = await kibble('players', 'explain', playerId, petId);
    expect(explained).toContain(`pets ${petId} (Rex), run ${feedingId}: running, due `);
    expect(explained).toMatch(/feeding-started .*began to eat dog-food: 4 h of work/);
    expect(explained).toContain('the timer says the same');
  });

  it('gives, once for each command id, and on trial not at all', async () => {
    const grant = ['players', 'grant', playerId, '--items', 'snack=2,boost=1', ...why];
    expect((await json(...grant, '--dry-run')).isDryRun).toBe(true);
    expect((await kibble(...grant, '--dry-run')).out).toMatch(/items-granted: \+2 snack, \+1 boost/);
    const tried = await kibble('players', 'grant', playerId, '--items', 'snack=2', '--dry-run');
    expect(tried).toMatchObject({ code: 0, out: expect.stringContaining('+2 snack') });
    expect((await json('players', 'show', playerId)).items.snack).toBeUndefined();
    await json(...grant, '--command-id', 'cli-command-1');
    await json(...grant, '--command-id', 'cli-command-1');
    expect((await json('players', 'show', playerId)).items).toMatchObject({ snack: 2, boost: 2 });
  });

  it('moves, freezes and stops, and shows who did what', async () => {
    const before = (await json('players', 'explain', playerId, petId)).dueAtMs;
    await json('players', 'shift', playerId, petId, '--by', '-0.55h', ...why);
    expect((await json('players', 'explain', playerId, '--run', feedingId)).dueAtMs).toBe(before - 33 * 60_000);
    expect(await kibble('players', 'shift', playerId, 'nothing', '--by', '1h', ...why)).toMatchObject({ code: 2 });
    await json('players', 'freeze', playerId, ...why);
    await json('players', 'unfreeze', playerId, ...why);
    const { out } = await kibble('players', 'stop', playerId, petId, ...why);
    expect(out).toContain('feeding-stopped');
    expect(
      (await json('audit', '--target', `player:${playerId}`)).map(({ action }: { action: string }) => action),
    ).toEqual([...['stop', 'unfreeze', 'freeze', 'shift', 'grant']]);
    const [, { id }] = await json('audit', '--target', `player:${playerId}`);
    const older = await json('audit', '--target', `player:${playerId}`, '--before', id, '--limit', '2');
    expect(older.map(({ action }: { action: string }) => action)).toEqual(['freeze', 'shift']);
    expect((await kibble('audit')).out).toMatch(new RegExp(`^${id} .* unfreeze `, 'm'));
  });

  it('revokes a token by itself or its id, and all of a player', async () => {
    const jwt = `e30.${btoa(JSON.stringify({ jti: 'stolen-1', exp: 4_000_000_000 }))}.e30`;
    expect((await json('revoke', '--jwt', jwt, ...why)).answer).toEqual({ revokedAtMs: expect.any(Number) });
    expect((await kibble('revoke', '--jwt', 'stolen-2', ...why)).out).toMatch(/^revoked: 20/);
    expect((await kibble('revoke', '--player', 'nobody', '--dry-run', ...why)).out).toMatch(/^would be revoked: 20/);
    expect((await json('audit')).filter(({ action }: { action: string }) => action === 'revoke')).toHaveLength(2);
  });

  it('says whether the clock is trusted, and accepts it only when told to go on', async () => {
    expect(await kibble('clock')).toMatchObject({ code: 0, out: expect.stringContaining('clock is trusted') });
    expect(await kibble('clock', 'accept', ...why)).toMatchObject({ code: 2, err: expect.stringContaining('--yes') });
    expect((await kibble('clock', 'accept', '--yes', ...why)).out).toMatch(/^before: .*\nnow: .*trusted/);
  });

  it('lists timers and dead ones, refills and compares the index', async () => {
    expect(await json('timers', 'ls', '--kind', 'feeding')).toMatchObject({ count: 0, timers: [] });
    expect(await json('dead', 'ls')).toEqual([]);
    const { Client } = await import('pg');
    const { embeddedUrl } = await import('../../server/adapter/embedded-postgres/postmaster.ts');
    const client = new Client({ connectionString: embeddedUrl(folder) ?? '' });
    await client.connect();
    onTestFinished(async () => {
      await client.query(`delete from kibble.timer where kind = 'errand'`);
      await client.end();
    });
    await client.query(
      `insert into kibble.timer (kind, subject, owner, due_at, fire_at, state, revision, turn, attempt, created_at, updated_at)
       values ('errand', 's', 'o', 0, 0, 'dead', 1, 1, 1, 0, 0)`,
    );
    expect(await json('dead', 'ls')).toMatchObject([{ state: 'dead', kind: 'errand', count: 1 }]);
    expect(await json('timers', 'ls', '--state', 'dead')).toMatchObject({ count: 1, timers: [{ kind: 'errand' }] });
    const { code, err } = await kibble('rebuild', ...why);
    expect({ code, err }).toEqual({ code: 0, err: expect.stringMatching(/^rebuild: \d+ of \d+/) });
    expect((await kibble('reconcile', ...why)).code).toBe(0);
    const reshard = await kibble('reshard', '4', ...why);
    expect({ code: reshard.code, err: reshard.err }).toEqual({
      code: 1,
      err: expect.stringContaining('index/impossible'),
    });
  });

  it('shows, checks, changes and takes back rules', async () => {
    expect(await json('rules', 'ls')).toMatchObject([
      { module: 'pets', version: 1, source: 'file' },
      { module: 'town', version: 1, source: 'file' },
    ]);
    const file = path.join(folder, 'pets.json');
    writeFileSync(file, JSON.stringify({ foods: { bone: { workMs: '1h', xp: -1 } } }));
    const faulty = await kibble('rules', 'apply', 'pets', file, '--dry-run', ...why);
    expect({ code: faulty.code, err: faulty.err }).toEqual({
      code: 1,
      err: expect.stringMatching(/the rules have faults:\n {2}- foods\.bone\.xp: [\s\S]*rules\/refused/),
    });
    writeFileSync(file, JSON.stringify({ foods: { bone: { workMs: '1h', xp: 1 } } }));
    const tried = await kibble('rules', 'apply', 'pets', file, '--dry-run', ...why);
    expect(tried.out).toContain('foods: (none) -> {"bone":{"workMs":"1h","xp":1}}');
    expect((await kibble('rules', 'apply', 'pets', file, ...why)).out).toContain('version 2 is in force');
    expect(JSON.parse((await kibble('rules', 'show', 'pets')).out)).toEqual({
      foods: { bone: { workMs: '1h', xp: 1 } },
    });
    const late = await kibble('rules', 'apply', 'pets', file, '--over', '1', ...why);
    expect(late.err).toContain('rules/changed');
    // Within a second of the change it is refused.
    const back = () => kibble('rules', 'roll-back', 'pets', '1', '--over', '2', ...why);
    await vi.waitFor(async () => expect((await back()).out).toContain('version 3 is in force'), { timeout: 10_000 });
    expect(await json('rules', 'history', 'pets')).toEqual(
      expect.arrayContaining([expect.objectContaining({ version: 2, by: 'ada', source: 'operator' })]),
    );
  });

  it('exports, merges and erases', async () => {
    const { out } = await kibble('players', 'export', playerId);
    expect(JSON.parse(out)).toMatchObject({ format: 'kibble-export', playerId });
    await json('players', 'merge', playerId, '--into', 'account', '--new', '--yes', ...why);
    expect(await json('players', 'show', 'account')).toMatchObject({ things: [{ title: 'Rex' }] });
    const erased = await kibble('players', 'erase', playerId, '--yes', ...why);
    expect(erased).toMatchObject({ code: 0, out: expect.stringContaining('was merged with') });
    expect((await kibble('players', 'show', playerId)).code).toBe(1);
  });

  it('runs a job to its end', async () => {
    const { code, err, out } = await kibble(
      'jobs',
      'create',
      '--items',
      'snack=1',
      '--module',
      'pets',
      '--where',
      'species=dog',
      'xp>=0',
      ...why,
    );
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining('reaches 1 players, such as account') });
    expect(out).toMatch(/done +1 +0 +1/);
    const paused = await kibble('jobs', 'create', '--items', 'snack=1', '--per-second', '0', ...why);
    expect(paused).toMatchObject({ code: 2, err: expect.stringContaining('perSecond') });
    const file = path.join(folder, 'players.txt');
    const fromFile = () => kibble('jobs', 'create', '--items', 'snack=1', '--players-file', file, '--dry-run', ...why);
    expect(await fromFile()).toMatchObject({ code: 2, err: expect.stringContaining('cannot be read') });
    writeFileSync(file, 'account\nnobody\n');
    expect(await fromFile()).toMatchObject({ code: 0, out: expect.stringContaining('would reach 1') });
    writeFileSync(file, '\n');
    expect(await fromFile()).toMatchObject({ code: 2, err: expect.stringContaining('playerIds') });
  });
});

describe('kibble on the database itself', { timeout: 60_000 }, () => {
  it('migrates, seeds and verifies the one that the server works on', async () => {
    expect(await json('migrate')).toEqual({ migrations: [] });
    const seeded = await kibble('seed', '--players', '50');
    expect({ code: seeded.code, err: seeded.err }).toEqual({
      code: 0,
      err: expect.stringMatching(/seed: 50 of 50 \(100 %\)/),
    });
    const verified = await kibble('verify');
    expect({ code: verified.code, out: verified.out }).toEqual({
      code: 0,
      out: expect.stringMatching(/51 players, \d+ events: 0 differences/),
    });
  });

  it('begins a new epoch only when told that this is final', async () => {
    const refused = await kibble('begin-epoch');
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('pass --yes') });
    for (const command of ['begin-epoch', 'seed']) {
      const { code, err } = await kibble(command, '--yes', '--dry-run');
      expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(`${command} has no dry run`) });
    }
    const [first, second] = [await json('begin-epoch', '--yes'), await json('begin-epoch', '--yes')];
    expect(first.epoch).toMatch(/^[0-9a-f-]{36}$/);
    expect(second.epoch).not.toBe(first.epoch);
  });

  it('verifies by the modules of a game, and says what a file of them has to be', async () => {
    const game = path.join(folder, 'game.mjs');
    const [village, kibbleFile] = ['examples/village.ts', 'server/kibble.ts'].map((file) =>
      pathToFileURL(path.resolve(file)),
    );
    writeFileSync(
      game,
      `import { village } from '${village}'; import { pets } from '${kibbleFile}'; export const modules = [pets(), village];`,
    );
    expect((await kibbleProcess('verify', '--modules', game)).out).toMatch(/players, \d+ events: 0 differences/);
    writeFileSync(game, `import { village } from '${village}'; export const modules = [village];`);
    const without = await kibbleProcess('verify', '--modules', game);
    expect(without).toMatchObject({ code: 1, err: expect.stringContaining('has the module pets, which') });
    const wrong = await kibble('verify', '--modules', 'examples/village.ts');
    expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining('exports no list called modules') });
  });

  it('finds what the log does not say: exit code 1, with the player and the events', async () => {
    const { Client } = await import('pg');
    const { embeddedUrl } = await import('../../server/adapter/embedded-postgres/postmaster.ts');
    const client = new Client({ connectionString: embeddedUrl(folder) ?? '' });
    await client.connect();
    await client.query(
      `update kibble.home set items = jsonb_set(items, '{dog-food}', to_jsonb((items->>'dog-food')::int + 1)) where player_id = 'seed-0000007'`,
    );
    const { code, out } = await kibbleProcess('verify');
    expect(code).toBe(1);
    expect(out).toMatch(/seed-0000007 items.dog-food: the log says \d+, the rows say \d+\n {4}{"v":1,"seq"/);
    await client.query(
      `update kibble.home set items = jsonb_set(items, '{dog-food}', to_jsonb((items->>'dog-food')::int - 1)) where player_id = 'seed-0000007'`,
    );
    await client.end();
    expect((await kibble('verify')).code).toBe(0);
  });

  it('interrupted, a seed ends in good order: what was made is sound, and it can go on', async () => {
    const ran = await runKibble(['seed', '--players', '100000', '--prefix', 'many'], env(), (note, interrupt) => {
      if (note.includes('seed: ')) interrupt();
    });
    expect(ran.code).toBe(1);
    const [, made = '0'] = /made (\d+) players/.exec(ran.out) ?? [];
    expect(Number(made)).toBeGreaterThan(0);
    expect(Number(made)).toBeLessThan(100_000);
    const verified = await kibble('verify', '--json');
    expect(JSON.parse(verified.out)).toMatchObject({ players: 51 + Number(made), differences: 0, isComplete: true });
  });

  it('verifies what players have in the town of the reference game', async () => {
    const builder = await joinHome(server.address);
    await builder.ask('town:place', { thing: 'hall' });
    builder.room.connection.close();
    const { code, out } = await kibble('verify');
    expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/\d+ events: 0 differences/) });
  });
});

it('a server that stops takes its address back', { timeout: 60_000 }, async () => {
  await server.stop();
  expect(existsSync(path.join(folder, 'address'))).toBe(false);
  expect((await kibble('status')).code).toBe(2);
  server = await startServer({ PORT: '0', HOST: '127.0.0.1', DATA_DIR: folder });
  // Without tokens of the operator's own, the one that was made is found too.
  expect((await runKibbleHere(['status'], { DATA_DIR: folder })).code).toBe(0);
});

it('the token in the data folder goes to no server but its own', { timeout: 60_000 }, async () => {
  const elsewhere = await runKibbleHere(['status', '--url', 'http://127.0.0.1:9'], { DATA_DIR: folder });
  expect(elsewhere).toMatchObject({ code: 2, err: expect.stringContaining('no token is known') });
  expect((await runKibbleHere(['status', '--url', server.address], { DATA_DIR: folder })).code).toBe(0);
});
