import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createKibble, type GameCommand } from '../../server/kibble.ts';
import type { HomeEvent } from '../../shared/pets/protocol.ts';
import { petsLog } from '../../testing/pets-engine.ts';
import { HOUR_MS, handCrankedGame } from '../support/game/hand-cranked-game.ts';

const page = readFileSync(path.join(import.meta.dirname, '../../docs/concepts.md'), 'utf8');

const timeOf = (atMs: number): string => new Date(atMs).toISOString().slice(11, 16);

/** An event as a row of the page's table. */
const rowOf = (event: HomeEvent, startMs: number): string => {
  const clock = (atMs: number): string => timeOf(8 * HOUR_MS + atMs - startMs);
  const what = event.type === 'feeding-started' ? `by ${event.by}` : event.type === 'card-used' ? event.card : '';
  const due = 'dueAt' in event ? `${clock(event.dueAt)} ` : '';
  return `| ${clock(event.at)} | ${`${event.type} ${what}`.trim()} | ${due}|`;
};

it('the day of the dog is as the page tells it, though nobody looks in the evening', async () => {
  const game = await handCrankedGame('', (host) => ({ kibble: createKibble({ ...host, playerId: ({ sub }) => sub }) }));
  const startMs = game.nowMs();
  const command = async (type: 'home:adopt' | 'home:feed' | 'home:use-card', fields: object): Promise<void> => {
    const payload = { commandId: `${type}-${JSON.stringify(fields).length}-${game.nowMs()}`, ...fields };
    const [outcome] = await game.kibble.homes.handle([{ playerId: 'ann', type, payload } as GameCommand]);
    expect(outcome).toMatchObject({ ok: true });
  };
  const petId = 'ann~p2';
  await command('home:adopt', { name: 'Rex', species: 'dog' });
  await command('home:feed', { petId, food: 'dog-food' });
  await game.pass(HOUR_MS);
  await command('home:use-card', { petId, card: 'speed-up' });
  await command('home:use-card', { petId, card: 'auto-feed' });
  await game.pass(3 * HOUR_MS);
  await command('home:use-card', { petId, card: 'boost' });
  await game.pass(8 * HOUR_MS);

  const log = await game.kibble.service.sync('ann', { afterSeq: 2 });
  const rows = log.ok ? petsLog(log.value.events).map((event) => rowOf(event, startMs)) : [];
  expect(rows).toHaveLength(7);
  expect(page).toContain(`| at | event | due |\n|---|---|---|\n${rows.join('\n')}\n`);
});
