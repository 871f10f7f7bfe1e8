import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import { openServer } from '../../server/reference/open-server.ts';
import { readConfig } from '../../server/settings/config.ts';
import { createLog } from '../../server/telemetry/log.ts';
import { joinHome } from '../support/game/player.ts';
import { createDatabase } from '../support/postgres/postgres-server.ts';

const HOUR_MS = 3_600_000;

/** The designer's first rules: a hall that takes an hour, and a chest that takes two seconds. */
const before = {
  works: {
    starter: { items: { wood: 100, gold: 5 } },
    things: { hall: { limit: 1 }, chest: { limit: 1 } },
    slots: { builders: { base: 1 } },
    activities: {
      upgrade: { on: ['hall'], slot: 'builders', workMs: '1h', takes: { wood: 10 }, gives: { level: 1 } },
      open: { on: ['chest'], workMs: '2s', gives: { gold: 20 } },
    },
    cancelGivesBack: 0.5,
  },
};

/** And then: the hall is dearer and takes longer, the chest too, and there is a mill, with a builder of its own. */
const after = {
  works: {
    ...before.works,
    things: { ...before.works.things, mill: { limit: 2, takes: { wood: 5 } } },
    slots: { builders: { base: 2 } },
    activities: {
      upgrade: { ...before.works.activities.upgrade, workMs: '3h', takes: { wood: 25 } },
      open: { ...before.works.activities.open, workMs: '5h', gives: { gold: 1 } },
      grind: { on: ['mill'], slot: 'builders', workMs: '30m', gives: { flour: 4 }, collect: true },
    },
  },
};

/** Opens servers one after the other, each with other rules, on one database. */
const serversWith = async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kibble-rules-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const database = await createDatabase(inject('postgresUrl'));
  onTestFinished(() => database.drop());
  const file = path.join(folder, 'rules.json');
  const config = readConfig({
    PORT: '0',
    HOST: '127.0.0.1',
    DATA_DIR: folder,
    DATABASE_URL: database.url,
    JWT_SECRET: 'k7Qz1v9XbT4mR8wLcY2nPdF6sJhA3gUe',
    OPS_TOKENS: 'op:admin:Zx81kQmW4vTn7LrB2yHcD5sJ',
    RULES_FILE: file,
  });
  const open = async (rules: object) => {
    writeFileSync(file, JSON.stringify(rules));
    const server = await openServer(config, createLog({ level: 'silent' }));
    onTestFinished(() => server.close());
    const works = await (await fetch(`${server.address}/works.json`)).json();
    return { ...server, town: Object(works).town };
  };
  return open;
};

it('a rules file that is changed holds for what is ordered after the restart, and what was under way ends as ordered', async () => {
  const open = await serversWith();
  const first = await open(before);
  expect(Object.keys(first.town.things)).toEqual(['hall', 'chest']);
  expect(first.town.activities.upgrade).toMatchObject({ workMs: HOUR_MS, takes: { wood: 10 } });
  const anna = await joinHome(first.address);
  await anna.ask('town:place', { thing: 'hall' });
  await anna.ask('town:place', { thing: 'chest' });
  const upgrade = started(await anna.ask('town:start', { thing: 'hall', activity: 'upgrade' }));
  const opening = started(await anna.ask('town:start', { thing: 'chest', activity: 'open' }));
  expect(upgrade.dueAt - upgrade.at).toBe(HOUR_MS);
  expect(opening.dueAt - opening.at).toBe(2_000);
  await first.close();

  const second = await open(after);
  expect(Object.keys(second.town.things)).toEqual(['hall', 'chest', 'mill']);
  expect(second.town.activities).toMatchObject({
    upgrade: { workMs: 3 * HOUR_MS, takes: { wood: 25 } },
    grind: { on: ['mill'], workMs: HOUR_MS / 2, gives: { flour: 4 } },
  });
  const back = await joinHome(second.address, { token: anna.token, join: { afterSeq: 0 } });
  const told = new Promise<ThingsMessage>((resolve) => void back.room.onMessage('home:things', resolve));
  await back.room.request('home:sync', { afterSeq: 0, snapshot: true });
  const dueOf = async (id: string) => (await told).things.find((thing) => thing.id === id)?.dueAt;
  // Under way: as it was ordered, in time and in what it gives.
  expect(await dueOf('hall')).toBe(upgrade.dueAt);
  expect(await back.saw((event) => isOf(event, 'town/finished', 'chest'))).toMatchObject({
    at: opening.dueAt,
    items: { gold: 20 },
  });
  // The new building is there at once, and the second builder for it.
  const { thing: mill } = Object(await back.ask('town:place', { thing: 'mill' }));
  const grind = { command: 'town:start', payload: { thing: mill, activity: 'grind' } };
  const { doneAt, events } = Object(await back.room.request('home:quote', grind));
  expect(doneAt - events[0].at).toBe(HOUR_MS / 2);
  // A new order has the file's present costs and times; a cancelled one gives back its earlier costs.
  const cancelled = await back.ask('town:cancel', { thing: 'hall' });
  expect(cancelled.events[0]).toMatchObject({ type: 'town/cancelled', items: { wood: 5 } });
  const dearer = await back.ask('town:start', { thing: 'hall', activity: 'upgrade' });
  expect(dearer.events[0]).toMatchObject({ items: { wood: -25 } });
  const longer = started(dearer);
  expect(longer.dueAt - longer.at).toBe(3 * HOUR_MS);
}, 30_000);

it('a rules file without works leaves the player all else, and the things rest until a file has works again', async () => {
  const open = await serversWith();
  const first = await open(before);
  const anna = await joinHome(first.address);
  await anna.ask('town:place', { thing: 'hall' });
  const upgrade = started(await anna.ask('town:start', { thing: 'hall', activity: 'upgrade' }));
  await first.close();

  const second = await open({});
  const without = await joinHome(second.address, { token: anna.token, join: { afterSeq: 0 } });
  expect(await without.ask('home:adopt', { name: 'Rex', species: 'dog' })).toMatchObject({ petId: expect.any(String) });
  await expect(without.ask('town:place', { thing: 'chest' })).rejects.toMatchObject({ name: 'no_handler' });
  await second.close();

  const third = await open(before);
  const back = await joinHome(third.address, { token: anna.token, join: { afterSeq: 0 } });
  const told = new Promise<ThingsMessage>((resolve) => void back.room.onMessage('home:things', resolve));
  await back.room.request('home:sync', { afterSeq: 0, snapshot: true });
  expect((await told).things).toContainEqual(expect.objectContaining({ id: 'hall', dueAt: upgrade.dueAt }));
}, 30_000);

interface ThingsMessage {
  readonly things: readonly { readonly id: string; readonly dueAt?: number }[];
}

const isOf = (event: object, type: string, thing: string): boolean =>
  Object(event).type === type && Object(event).thing === thing;

const started = ({ events }: { readonly events: readonly object[] }): { readonly at: number; readonly dueAt: number } =>
  Object(events.find((one) => Object(one).type === 'town/started'));
