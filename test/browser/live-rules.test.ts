import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Browser, Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { buildPage } from '../../build/build-page.ts';
import { opsPath } from '../../shared/ops/acts.ts';
import { timed } from '../proof/table/tries.ts';
import { chromiumProgram, launchChromium } from '../support/machine/chromium.ts';
import { startPageServer } from './page-server.ts';
import { adopt, item, leave, shot, type Visit, visit } from './support.ts';
import { unhurriedRules } from './unhurried-rules.ts';

const program = await chromiumProgram(inject('chromiumUrl'));
const TOKEN = 'Zx81kQmW4vTn7LrB2yHcD5sJ';

let folder: string;
let rulesFile: string;
let server: Awaited<ReturnType<typeof startPageServer>>;
let browser: Browser;
const visits: Visit[] = [];

beforeAll(async () => {
  if (!program) return;
  await buildPage('client');
  folder = mkdtempSync(path.join(os.tmpdir(), 'kibble-live-rules-'));
  rulesFile = unhurriedRules(folder);
  const settings = { RULES_FILE: rulesFile, OPS_TOKENS: `dee:admin:${TOKEN}` };
  [server, browser] = await Promise.all([startPageServer(settings), launchChromium(program)]);
}, 90_000);

afterEach((context) => leave(visits, context));

afterAll(async () => {
  await browser?.close();
  await server?.kill();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

/** The rules of both modules, as they stand in the file. */
const inFile = () => {
  const { works, ...pets } = JSON.parse(readFileSync(rulesFile, 'utf8'));
  return { pets, town: works };
};

const change = async (module: string, config: object): Promise<void> => {
  const order = { config, expectedVersion: 1, commandId: randomUUID(), reason: 'a sale' };
  const response = await fetch(`${server.address}/ops/${opsPath('replaceRules', { module })}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(order),
  });
  expect(await response.json()).toMatchObject({ answer: { version: 2 } });
};

/** The page's promise. */
const within = { timeout: Math.min(timed(1_000), 15_000) };
const minutesOf = async (timer: Locator): Promise<number> => Number(/\d+/.exec((await timer.textContent()) ?? '')?.[0]);

describe.skipIf(!program)('a player while an operator changes the rules', { timeout: 60_000 }, () => {
  it('sees a new price and a new building within a second, and what is under way ends as it was ordered', async () => {
    const { page, faults } = await visit(browser, server.address);
    visits.push({ page, faults, context: page.context() });
    await page.locator('.place').nth(1).click();
    await page.locator('[data-site="hall"] button').click();
    await page.locator('[data-activity="upgrade"]').click();
    await page.locator('.thing [role="timer"]').waitFor();
    await page.locator('[data-site="plot"]').getByText('10 × Gold').waitFor();
    const { town } = inFile();
    const { upgrade } = town.activities;
    await change('town', {
      ...town,
      things: { ...town.things, plot: { limit: 3, takes: { gold: 25 } }, mill: { limit: 1, takes: { wood: 5 } } },
      activities: { ...town.activities, upgrade: { ...upgrade, workMs: '3h', takes: { wood: 50 } } },
    });
    await page.locator('[data-site="plot"]').getByText('25 × Gold').waitFor(within);
    await page.locator('[data-site="mill"]').getByText('5 × Wood').waitFor(within);
    expect(await minutesOf(page.locator('.thing [role="timer"]'))).toBeLessThanOrEqual(10);
    await shot(page, 'live-rules-town-1280-en');
    // By the price that is shown.
    await page.locator('[data-site="plot"] button').click();
    await page.locator('[data-stock="gold"]', { hasText: '35' }).waitFor();
    expect(faults).toEqual([]);
  });

  it('sees how long a meal takes now, while the pet goes on eating by the old rules', async () => {
    const { page, faults } = await visit(browser, server.address);
    visits.push({ page, faults, context: page.context() });
    const pet = await adopt(page);
    await item(page, 'dog-food').getByText('20m').waitFor();
    await item(page, 'dog-food').click();
    const timer = pet.locator('[role="timer"]');
    await timer.waitFor();
    const { pets } = inFile();
    const { foods } = pets;
    await change('pets', { ...pets, foods: { ...foods, 'dog-food': { ...foods['dog-food'], workMs: '90s' } } });
    await item(page, 'dog-food').getByText('1m 30s').waitFor(within);
    await page.getByText('Seconds mode').waitFor(within);
    expect(await minutesOf(timer)).toBeGreaterThan(2);
    await shot(page, 'live-rules-pet-1280-en');
    expect(faults).toEqual([]);
  });
});
