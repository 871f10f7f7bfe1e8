import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { beforeEach, expect, inject, it, onTestFinished } from 'vitest';
import { openServer } from '../../server/reference/open-server.ts';
import { readConfig } from '../../server/settings/config.ts';
import { createLog } from '../../server/telemetry/log.ts';
import { opsPath } from '../../shared/ops/acts.ts';
import { joinHome } from '../support/game/player.ts';
import { createDatabase } from '../support/postgres/postgres-server.ts';

const TOKEN = 'Zx81kQmW4vTn7LrB2yHcD5sJ';
const pets = { foods: { bone: { workMs: '1m', xp: 1 } } };
const town = {
  things: { hut: { limit: 1, takes: { gold: 10 } } },
  activities: { dig: { on: ['hut'], workMs: '1h', gives: { stone: 1 } } },
};

let address: string;

beforeEach(async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kibble-live-rules-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const database = await createDatabase(inject('postgresUrl'));
  onTestFinished(() => database.drop());
  const file = path.join(folder, 'rules.json');
  writeFileSync(file, JSON.stringify({ ...pets, works: town }));
  const config = readConfig({
    PORT: '0',
    HOST: '127.0.0.1',
    DATA_DIR: folder,
    DATABASE_URL: database.url,
    JWT_SECRET: 'k7Qz1v9XbT4mR8wLcY2nPdF6sJhA3gUe',
    OPS_TOKENS: `op:admin:${TOKEN}`,
    RULES_FILE: file,
  });
  const server = await openServer(config, createLog({ level: 'silent' }));
  onTestFinished(() => server.close());
  address = server.address;
});

const read = async (place: string) => {
  const response = await fetch(`${address}/${place}`);
  return { etag: response.headers.get('etag'), body: Object(await response.json()) };
};

/** As an operator, right after the start. */
const replace = async (module: string, config: object): Promise<void> => {
  const order = { config, expectedVersion: 1, commandId: randomUUID(), reason: 'a sale' };
  const init = {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(order),
  };
  const response = await fetch(`${address}/ops/${opsPath('replaceRules', { module })}`, init);
  const body = Object(await response.json());
  expect(body).toMatchObject({ answer: { version: 2 } });
};

it('rules that an operator changes are served at once, with another ETag, and who follows is told', async () => {
  const anna = await joinHome(address);
  const [petsBefore, worksBefore] = [await read('rules.json'), await read('works.json')];
  expect(petsBefore.body.foods.bone).toMatchObject({ workMs: 60_000 });
  expect(worksBefore.body.town.things.hut).toMatchObject({ takes: { gold: 10 } });

  await replace('town', { ...town, things: { hut: { limit: 1, takes: { gold: 30 } } } });
  const works = await read('works.json');
  expect(works.body.town.things.hut).toMatchObject({ takes: { gold: 30 } });
  expect(works.etag).not.toBe(worksBefore.etag);
  expect(await read('rules.json')).toEqual(petsBefore);

  await replace('pets', { foods: { bone: { workMs: '2m', xp: 1 } } });
  const after = await read('rules.json');
  expect(after.body.foods.bone).toMatchObject({ workMs: 120_000 });
  expect(after.etag).not.toBe(petsBefore.etag);
  await anna.request('home:time', {});
  const told = anna.frames.flatMap(({ type, message }) => (type === 'home:rules' ? [message] : []));
  expect(told).toEqual([
    { module: 'town', version: 2 },
    { module: 'pets', version: 2 },
  ]);
});

it('works that are closed are served with when they open next, and others with another ETag', async () => {
  const before = await read('works.json');
  expect(before.body.town.opensAt).toEqual({});
  const cards = {
    gem: { effect: 'finish', msEach: '1m', during: 'gone' },
    axe: { effect: 'cut', workMs: 1, from: '2100-01-01T00:00:00Z' },
  };
  await replace('town', { ...town, cards, windows: { gone: { until: '2020-01-01T00:00:00Z' } } });
  const { body, etag } = await read('works.json');
  expect(body.town.opensAt).toEqual({ 'cards.gem': null, 'cards.axe': Date.parse('2100-01-01T00:00:00Z') });
  expect(etag).not.toBe(before.etag);
});

it('works show the odds: ranges, weights, and what comes at the latest', async () => {
  const prizes = [
    { weight: 95, gives: { gold: [1, 9] } },
    { weight: 5, gives: { gold: 99 }, atLatest: 20 },
  ];
  const dig = { on: ['hut'], workMs: '1h', gives: { gold: [10, 20] }, oneOf: { name: 'find', of: prizes } };
  await replace('town', { ...town, activities: { dig } });
  const { body } = await read('works.json');
  expect(body.town.activities.dig).toMatchObject({ gives: { gold: [10, 20] }, oneOf: { name: 'find', of: prizes } });
});

it('works of one module alone are served by its name', async () => {
  const all = await read('works.json');
  expect(Object.keys(all.body)).toEqual(['town']);
  expect(await read('works.json?module=town')).toEqual(all);
  // The pets have a path of their own, and what an object has by birth is no module.
  for (const other of ['pets', 'constructor', '']) expect((await read(`works.json?module=${other}`)).body).toEqual({});
});
