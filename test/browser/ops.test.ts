import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { buildPage } from '../../build/build-page.ts';
import { type ServerProcess, startServer } from '../../examples/support/server-process.ts';
import type { OpsPlayer } from '../../shared/ops/ops-answers.ts';
import { joinHome, type Player } from '../support/game/player.ts';
import { chromiumProgram, launchChromium } from '../support/machine/chromium.ts';
import { closeDialog, confirm, preview, signIn } from './ops-desk.ts';
import { leave, type Visit, visit } from './support.ts';

const program = await chromiumProgram(inject('chromiumUrl'));
const HOUR_MS = 3_600_000;

let folder: string;
let server: ServerProcess;
let browser: Browser;
let player: Player;
let playerId: string;
let petId: string;
let feedingId: string;
const visits: Visit[] = [];

const token = (): string => readFileSync(path.join(folder, 'data/operator-token'), 'utf8').trim();

const api = async <Answer>(route: string, body?: object): Promise<Answer> => {
  const response = await fetch(`${server.address}/ops/api${route}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${token()}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as Answer;
};

const dueAtMs = async (): Promise<number> => {
  const { things } = await api<OpsPlayer>(`/players/${playerId}`);
  return things.find(({ run }) => run === feedingId)?.dueAtMs ?? 0;
};

beforeAll(async () => {
  if (!program) return;
  await buildPage('ops');
  folder = mkdtempSync(path.join(os.tmpdir(), 'kibble-ops-page-'));
  [server, browser] = await Promise.all([
    startServer({ PORT: '0', DATA_DIR: path.join(folder, 'data') }),
    launchChromium(program),
  ]);
  player = await joinHome(server.address);
  const adopted = await player.ask('home:adopt', { commandId: 'adopt-rex-1', name: 'Rex', species: 'dog' });
  petId = adopted.events.flatMap((event) => (event.type === 'pet-adopted' ? [event.petId] : []))[0] ?? '';
  playerId = petId.slice(0, petId.lastIndexOf('~'));
  const fed = await player.ask('home:feed', { commandId: 'feed-rex-1', petId, food: 'dog-food' });
  feedingId = fed.events.flatMap((one) => (one.type === 'feeding-started' ? [one.feedingId] : []))[0] ?? '';
}, 240_000);

afterEach((context) => leave(visits, context));

afterAll(async () => {
  await player?.room.leave();
  await browser?.close();
  await server?.kill();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

const come = async (hash = '', options: Parameters<typeof visit>[2] = {}): Promise<Visit> => {
  const visited = await visit(browser, `${server.address}/ops/${hash}`, options);
  visited.page.setDefaultTimeout(45_000);
  visits.push(visited);
  return visited;
};

const enter = (page: Page, given = token()): Promise<void> => signIn(page, given);

describe.skipIf(!program)('an operator of a real server', { timeout: 120_000 }, () => {
  it('is told that a token is wrong, and comes with the right one to where the address says', async () => {
    const { page } = await come('#/audit');
    await enter(page, 'not-a-token-of-anybody-here');
    await page.locator('[role="alert"]').waitFor();
    await enter(page);
    await page.locator('h1', { hasText: 'Audit' }).waitFor();
    expect(await page.locator('.me-name').textContent()).toMatch(/operator.*admin/);
    expect(await page.evaluate(() => localStorage.length)).toBe(0);
  });

  it('is asked for a token again when it is not accepted any more, and stays where it was', async () => {
    const { page } = await come('#/jobs');
    await enter(page);
    await page.locator('h1', { hasText: 'jobs' }).waitFor();
    await page.evaluate(() => sessionStorage.setItem('kibble.ops-token', 'some-older-token-of-before'));
    await page.reload();
    await page.getByText('Your token is no longer accepted').waitFor();
    expect(page.url()).toMatch(/#\/jobs$/);
  });

  it('finds a player by the keyboard, and is two clicks from why the feeding is due then', async () => {
    const { page, faults } = await come();
    await enter(page);
    await page.locator('[data-tile="pending"]').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type(playerId.slice(0, 12));
    await page.locator(`[data-hit="player"]`).click();
    await page.locator(`[data-why="${feedingId}"]`).click();
    await page.locator('.verdict-due').waitFor();
    const due = await page.locator('.verdict-due time').getAttribute('datetime');
    expect(new Date(due ?? 0).getTime()).toBe(await dueAtMs());
    expect(await page.locator('[data-step="feeding-started"] .sum').textContent()).toMatch(/\+ 4 h = /);
    await page.getByText('The log and the timer’s row agree.').waitFor();
    expect(faults).toEqual([]);
  });

  it('shifts a feeding: it is shown first, the due time moves, and ledger and audit say who and why', async () => {
    const before = await dueAtMs();
    const { page } = await come(`#/players/${playerId}/runs/pets/${encodeURIComponent(feedingId)}`);
    await enter(page);
    await page.locator('[data-act="shift"]').click();
    await page.locator('dialog [name="count"]').fill('2');
    await page.locator('dialog [name="unit"]').selectOption('h');
    await page.locator('dialog [name="reason"]').fill('outage yesterday');
    await page.locator('dialog [type="submit"]').click();
    await page.locator('dialog .told').getByText('+2 h').first().waitFor();
    expect(await dueAtMs()).toBe(before);
    await page.locator('dialog [type="submit"]').click();
    await page.locator('dialog .audit-entry', { hasText: 'outage yesterday' }).waitFor();
    await page.locator('dialog .dialog-actions .button-main').click();
    expect(await dueAtMs()).toBe(before + 2 * HOUR_MS);
    await page.locator('[data-step="feeding-shifted"]', { hasText: 'outage yesterday' }).waitFor();
    await page.goto(`${server.address}/ops/#/players/${playerId}/log`);
    await page.locator('[data-event="feeding-shifted"]', { hasText: 'operator operator' }).waitFor();
  });

  it('does what the preview showed, whatever is typed while it is asked for', async () => {
    const { page } = await come(`#/players/${playerId}`);
    await enter(page);
    await page.locator('[data-act="grant"]').click();
    await page.locator('dialog [name="item"]').fill('snack');
    await page.locator('dialog [name="count"]').fill('1');
    const asked = Promise.withResolvers<() => Promise<void>>();
    await page.route('**/grant', (route) => asked.resolve(() => route.continue()), { times: 1 });
    await page.locator('dialog [name="reason"]').fill('one too few');
    await page.locator('dialog [type="submit"]').click();
    const goOn = await asked.promise;
    await page.locator('dialog [name="count"]').fill('9');
    await goOn();
    await page.locator('dialog .told').waitFor();
    expect(await confirm(page)).toMatch('one too few');
    await closeDialog(page);
    await player.saw((event) => event.type === 'items-granted' && event.items.snack === 1);
  });

  it('sees timers and log of a player who goes on playing', async () => {
    const { page } = await come(`#/players/${playerId}/timers`);
    await enter(page);
    const row = page.locator('table tbody tr').first();
    const before = await row.textContent();
    await player.ask('home:use-card', { petId, card: 'speed-up' });
    await expect.poll(() => row.textContent(), { timeout: 15_000 }).not.toBe(before);
    await page.goto(`${server.address}/ops/#/players/${playerId}/log`);
    const cards = page.locator('[data-event="card-used"]');
    await cards.first().waitFor();
    const used = await cards.count();
    await player.ask('home:use-card', { petId, card: 'speed-up' });
    await expect.poll(() => cards.count(), { timeout: 15_000 }).toBe(used + 1);
  });

  it('gives items, which reach the player', async () => {
    const { page } = await come(`#/players/${playerId}`);
    await enter(page);
    await page.locator('[data-act="grant"]').click();
    await page.locator('dialog [name="item"]').fill('boost');
    await page.locator('dialog [name="count"]').fill('7');
    await preview(page, 'lost in the outage');
    expect(await confirm(page)).toMatch('lost in the outage');
    await closeDialog(page);
    await player.saw((event) => event.type === 'items-granted' && event.items.boost === 7);
    await page.locator('[data-item="boost"] b', { hasText: '8' }).waitFor();
  });
});
