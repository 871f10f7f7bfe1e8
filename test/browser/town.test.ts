import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { buildPage } from '../../build/build-page.ts';
import { type ServerProcess, startServer } from '../../examples/support/server-process.ts';
import { chromiumProgram, launchChromium } from '../support/machine/chromium.ts';
import { expectAccessible, expectLargeTargets, expectNoSideScroll, shot, type Visit, visit } from './support.ts';

const program = await chromiumProgram(inject('chromiumUrl'));
const rules = path.resolve(import.meta.dirname, '../../examples/rules-in-seconds.json');

let folder: string;
let server: ServerProcess;
let browser: Browser;
const visits: Visit[] = [];

beforeAll(async () => {
  if (!program) return;
  await buildPage('client');
  folder = mkdtempSync(path.join(os.tmpdir(), 'kibble-town-'));
  const settings = { PORT: '0', DATA_DIR: path.join(folder, 'data'), RULES_FILE: rules };
  [server, browser] = await Promise.all([startServer(settings), launchChromium(program)]);
}, 90_000);

afterEach(async () => {
  for (const { context } of visits.splice(0)) await context.close();
});

afterAll(async () => {
  await browser?.close();
  await server?.kill();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

/** A new player, who has gone to the workshop. */
const come = async (options: Parameters<typeof visit>[2] = {}): Promise<Visit> => {
  const visited = await visit(browser, server.address, options);
  visits.push(visited);
  await visited.page.locator('.place').nth(1).click();
  await visited.page.locator('.town').waitFor();
  return visited;
};

const build = (page: Page, name: string) => page.locator(`[data-site="${name}"] button`).click();
const thing = (page: Page, name: string): Locator =>
  page.locator('.thing', { has: page.locator('h2', { hasText: name }) });
const order = (of: Locator, activity: string) => of.locator(`[data-activity="${activity}"]`).click();
const has = async (page: Page, item: string): Promise<number> =>
  Number(await page.locator(`[data-stock="${item}"] .stock-count`).textContent());

describe.skipIf(!program)('a player in the workshop', { timeout: 60_000 }, () => {
  it('builds and upgrades the hall, finishes it by gems at the price that was shown, sows and collects', async () => {
    const { page, faults } = await come();
    await build(page, 'hall');
    const hall = thing(page, 'Hall');
    await order(hall, 'upgrade');
    await hall.locator('[role="timer"]').waitFor();
    expect(await has(page, 'wood')).toBe(50);
    await page.getByText('Builders: 1 of 2 busy').waitFor();
    await hall.locator('[data-card="gem"]').click();
    // Ten seconds at five seconds a gem: two, or one once half of it has gone by.
    const pay = page.getByRole('button', { name: /^Finish for [12] × Gem$/ });
    await pay.waitFor();
    await page.locator('dialog').getByText('It is done right away.').waitFor();
    await shot(page, 'town-gem-1280-en');
    await pay.click();
    await hall.getByText('Level 1').waitFor();
    expect([10, 11]).toContain(await has(page, 'gem'));
    await page.getByText('Builders: 0 of 2 busy').waitFor();

    await build(page, 'plot');
    const plot = thing(page, 'Plot 1');
    await order(plot, 'wheat');
    await plot.getByText('Wheat grows').waitFor();
    expect(await has(page, 'seed')).toBe(7);
    await plot.getByText('Ready: 3 × Wheat').waitFor();
    await plot.getByRole('button', { name: 'Collect' }).click();
    await plot.getByText('Ready for work').waitFor();
    expect(await has(page, 'wheat')).toBe(3);
    expect(faults).toEqual([]);
  });

  it('has two builders, and sees who is next in the queue and what is taken back from it', async () => {
    const { page } = await come();
    await build(page, 'hall');
    const hall = thing(page, 'Hall');
    await order(hall, 'upgrade');
    await hall.locator('[data-card="gem"]').click();
    await page.getByRole('button', { name: /^Finish for/ }).click();
    await hall.getByText('Level 1').waitFor();
    for (const name of ['Plot 1', 'Plot 2', 'Plot 3']) {
      await build(page, 'plot');
      await order(thing(page, name), 'enlarge');
    }
    await page.getByText('Builders: 2 of 2 busy').waitFor();
    const last = thing(page, 'Plot 3');
    await last.getByText('Enlarge · Next: number 1 in the queue').waitFor();
    expect(await has(page, 'wood')).toBe(20);
    await last.getByRole('button', { name: 'Take back' }).click();
    await last.getByText('Ready for work').waitFor();
    expect(await has(page, 'wood')).toBe(30);
  });

  it('reads why not: what is missing before, and what the server refuses', async () => {
    const { page } = await come();
    await build(page, 'plot');
    const plot = thing(page, 'Plot 1');
    await plot.locator('[data-activity="enlarge"]').getByText('First: Hall, level 1.').waitFor();
    await plot.locator('[data-activity="enlarge"]').dispatchEvent('click');
    await page.locator('.toast').getByText('First: Hall, level 1.').waitFor();
    await order(plot, 'wheat');
    await plot.locator('[data-card="speed-up"]').click();
    await page
      .locator('dialog')
      .getByText(/seconds? sooner/)
      .waitFor();
    // It ripens under the open card.
    await page.locator('dialog').getByText('It is done already. Your card is still yours.').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    expect(await has(page, 'speed-up')).toBe(8);
  });
});

describe.skipIf(!program)('the workshop looks after everybody', { timeout: 60_000 }, () => {
  it.each([
    [360, 740, 'zh-CN', 'dark', '大厅'],
    [1280, 800, 'en-US', 'light', 'Hall'],
  ] as const)('at %i x %i in %s, %s', async (width, height, locale, colorScheme, hallName) => {
    const { page, faults } = await come({ viewport: { width, height }, locale, colorScheme });
    const name = `${width}-${locale.slice(0, 2)}-${colorScheme}`;
    const check = async (): Promise<void> => {
      await expectAccessible(page);
      await expectNoSideScroll(page);
      await expectLargeTargets(page);
    };
    await check();
    await shot(page, `town-new-${name}`);
    for (const one of ['hall', 'plot', 'chest']) await build(page, one);
    await order(page.locator('[data-thing="chest"]'), 'open');
    const hall = thing(page, hallName);
    await order(hall, 'upgrade');
    await hall.locator('[role="timer"]').waitFor();
    await check();
    await shot(page, `town-${name}`);
    await hall.locator('[data-card="boost"]').click();
    await page.locator('dialog .preview').waitFor();
    await check();
    await shot(page, `town-card-${name}`);
    expect(faults).toEqual([]);
  });
});
