import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { mayUse, type OpsRoute, opsRoles } from '../../shared/ops/act.ts';
import { type OpsRouteName, opsActs, opsPath } from '../../shared/ops/acts.ts';
import { type OpsServer, startOpsServer, tokenOf, why } from '../support/game/ops-server.ts';

let server: OpsServer;
beforeAll(async () => {
  server = await startOpsServer(inject('postgresUrl'));
});
afterAll(() => server.close());

const routes = Object.entries(opsActs) as [OpsRouteName, OpsRoute][];
const parts = {
  playerId: 'ann',
  timerId: '1',
  feedingId: 'ann~f1',
  jobId: 'job-of-nobody',
  kind: 'of-nobody',
  module: 'pets',
};
const writes = routes.filter(([, { method }]) => method === 'POST');
const post = (route: string, body: string | undefined, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${server.address}/ops/api${route}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokenOf('admin')}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body }),
  });

describe('whoever has no token', () => {
  it.each(routes)('learns nothing from %s', async (name) => {
    const answer = await server.ask(name, parts, {}, 'nobody');
    expect(answer).toMatchObject({ status: 401, body: { code: 'auth/refused', params: {} } });
  });

  it.each([
    ['a wrong token', 'Bearer wrong-wrong-wrong-wrong-wrong'],
    ['a token of another form', `Basic ${tokenOf('admin')}`],
    ['half a token', `Bearer ${tokenOf('admin').slice(0, -1)}`],
    ['no token', 'Bearer '],
  ])('is refused with %s, at addresses that do not exist too', async (_, authorization) => {
    for (const route of ['/overview', '/no-such-route', '/players/%E0%A4%A']) {
      const response = await fetch(`${server.address}/ops/api${route}`, { headers: { authorization } });
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  it('is refused before the body is read', async () => {
    const response = await post('/players/ann/grant', 'not json', { authorization: 'Bearer wrong' });
    expect(response.status).toBe(401);
  });
});

describe('a role', () => {
  it.each(routes.flatMap(([name, route]) => opsRoles.map((role) => ({ name, role, may: mayUse(role, route) }))))(
    '$role may use $name: $may',
    async ({ name, role, may }) => {
      const { status, body } = await server.ask(name, parts, {}, role);
      if (may) expect(status).not.toBe(403);
      else expect({ status, code: body.code }).toEqual({ status: 403, code: 'auth/role' });
    },
  );

  it('is what docs/operators.md says, route by route, in the words of the table', () => {
    const docs = readFileSync(path.join(import.meta.dirname, '../../docs/operators.md'), 'utf8');
    const rows = docs.split('\n').filter((line) => /^\| `(GET|POST) /.test(line));
    expect(rows).toEqual(
      routes.map(
        ([, { method, path: at, role, about }]) => `| \`${method} ${at}\` | ${role} | ${about.replaceAll('’', "'")} |`,
      ),
    );
  });
});

describe('a request that is not right', () => {
  it.each(writes.filter(([name]) => name !== 'advance'))(
    '%s without reason and commandId is refused, both named',
    async (name) => {
      const { status, body } = await server.ask(name, parts, {});
      expect({ status, code: body.code }).toEqual({ status: 400, code: 'command/invalid' });
      expect(body.message).toMatch(/commandId: .*reason: /);
    },
  );

  it.each([
    ['a reason of two characters', { reason: 'no' }, 'reason'],
    ['a reason of 501 characters', { reason: 'x'.repeat(501) }, 'reason'],
    ['a commandId of seven characters', { commandId: '1234567' }, 'commandId'],
    ['a field that nobody knows', { player: 'bea' }, ''],
    ['no items', { items: {} }, 'items'],
    ['half an item', { items: { snack: 0.5 } }, 'items.snack'],
    ['an item named constructor', { items: { constructor: 1 } }, 'items'],
    ['dryRun as text', { dryRun: 'true' }, 'dryRun'],
  ])('is refused with %s', async (_, more, at) => {
    const { status, body } = await server.ask('grant', parts, { ...why({ items: { snack: 1 } }), ...more });
    expect(status).toBe(400);
    expect(body.params.faults).toMatchObject([{ path: at }]);
  });

  it.each(['\0', '\ud800'])('is refused with the text %j, which Postgres cannot store', async (name) => {
    const filter = { things: { module: 'pets', fields: { name } } };
    const job = await server.ask('createJob', {}, why({ filter, items: { snack: 1 } }));
    const revival = await server.ask('reviveDead', {}, why({ kind: 'feeding', error: name }));
    expect([job.status, revival.status]).toEqual([400, 400]);
  });

  it.each(['not json', '"text"', '[]', 'null', '{"a":', ''])('is refused with the body %s', async (body) => {
    const response = await post('/players/ann/grant', body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'command/invalid' });
  });

  it('is refused when its body is larger than an operator needs', async () => {
    const response = await post('/players/ann/grant', JSON.stringify({ reason: 'x'.repeat(200_000) }));
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ code: 'ops/too-large' });
  });

  it.each([
    ['/players/ann%20b', 400],
    ['/players/%E0%A4%A', 400],
    [`/players/${'x'.repeat(129)}`, 400],
    ['/timers/abc', 400],
    ['/timers/007', 400],
    ['/timers?state=gone', 400],
    ['/timers?limit=501', 400],
    ['/timers?limit=1&limit=2', 400],
    ['/timers?after=nowhere', 400],
    ['/timers?after=5.007', 400],
    ['/timers?error=%00', 400],
    ['/search', 400],
    ['/no-such-route', 404],
    ['/players/ann/grant', 404],
    ['/', 404],
  ])('GET %s is answered with %i, as JSON', async (route, status) => {
    const headers = { authorization: `Bearer ${tokenOf('viewer')}` };
    const response = await fetch(`${server.address}/ops/api${route}`, { headers });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ code: expect.any(String), message: expect.any(String), params: {} });
  });

  it('leaves nothing to say about any of it in the log', () => {
    expect(server.faults).toEqual([]);
  });
});

describe('what is not there', () => {
  it.each([
    ['player', 'player/unknown'],
    ['log', 'player/unknown'],
    ['exportPlayer', 'player/unknown'],
    ['timer', 'timer/unknown'],
    ['explainTimer', 'timer/unknown'],
    ['job', 'job/unknown'],
  ] as const)('%s answers 404 with %s', async (name, code) => {
    expect(await server.ask(name, parts, {}, 'support')).toMatchObject({ status: 404, body: { code } });
  });

  it('a thing or a run that no log knows, and a module that is not here, answer 404', async () => {
    for (const [input, code] of [
      [{ module: 'pets', thing: 'nobody~p1' }, 'thing/not-in-log'],
      [{ module: 'pets', run: 'nobody~f1' }, 'thing/not-in-log'],
      [{ module: 'castle', thing: 'hall' }, 'module/unknown'],
    ] as const) {
      expect(await server.ask('explainThing', parts, input)).toMatchObject({ status: 404, body: { code } });
    }
    expect(await server.ask('explainThing', parts, { module: 'pets' })).toMatchObject({ status: 400 });
  });

  it.each(['freeze', 'erase'] as const)('%s of somebody who has no home answers 404', async (name) => {
    expect(await server.ask(name, parts, why())).toMatchObject({ status: 404, body: { code: 'player/unknown' } });
  });

  it('moving time without DEV_TOOLS answers 404', async () => {
    const answer = await server.ask('advance', parts, { byMs: 1000 });
    expect(answer).toMatchObject({ status: 404, body: { code: 'ops/not-here' } });
  });
});

it('tells an operator who he is', async () => {
  const { body } = await server.ask('me', {}, {}, 'support');
  expect(body).toEqual({ name: 'the-support', role: 'support', hasDevTools: false });
});

it('fills the parts of a path in, percent-encoded', () => {
  expect(opsPath('player', { playerId: 'a|b@c' })).toBe('api/players/a%7Cb%40c');
  expect(() => opsPath('player')).toThrow('player needs playerId');
});
