import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { buildPage } from '../../build/build-page.ts';
import type { HomeEvent } from '../../shared/event.ts';
import { chromiumProgram, launchChromium } from '../support/machine/chromium.ts';
import { startPageServer } from './page-server.ts';
import {
  expectAccessible,
  expectFitsPhone,
  expectLargeTargets,
  expectNoSideScroll,
  joinAs,
  leave,
  openTab,
  shot,
  type Visit,
  visit,
} from './support.ts';
import { unhurriedRules } from './unhurried-rules.ts';

const program = await chromiumProgram(inject('chromiumUrl'));

let folder: string;
let server: Awaited<ReturnType<typeof startPageServer>>;
let browser: Browser;
const visits: Visit[] = [];

beforeAll(async () => {
  if (!program) return;
  await buildPage('client');
  folder = mkdtempSync(path.join(os.tmpdir(), 'kibble-town-'));
  const settings = { RULES_FILE: unhurriedRules(folder) };
  [server, browser] = await Promise.all([startPageServer(settings), launchChromium(program)]);
}, 90_000);

afterEach((context) => leave(visits, context));

afterAll(async () => {
  await browser?.close();
  await server?.kill();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

/** A new player in the workshop. */
const come = async (options: Parameters<typeof visit>[2] = {}): Promise<Visit> => {
  const visited = await visit(browser, server.address, options);
  visits.push(visited);
  await visited.page.locator('.place').nth(1).click();
  await visited.page.locator('.town').waitFor();
  return visited;
};

/** And waits until it stands: it pushes the sites down, and a click in that moment would miss the next one. */
const build = async (page: Page, name: string): Promise<void> => {
  const things = page.locator('.thing');
  const before = await things.count();
  await page.locator(`[data-site="${name}"] button`).click();
  await things.nth(before).waitFor();
};
const thing = (page: Page, name: string): Locator =>
  page.locator('.thing', { has: page.locator('h2', { hasText: name }) });
const order = (of: Locator, activity: string) => of.locator(`[data-activity="${activity}"]`).click();
/** For gems, at the price that is shown. */
const finish = async (page: Page, of: Locator): Promise<void> => {
  await of.locator('[data-card="gem"]').click();
  await page.getByRole('button', { name: /^Finish for/ }).click();
};
const has = async (page: Page, item: string): Promise<number> =>
  Number(await page.locator(`[data-stock="${item}"] .stock-count`).textContent());

/** Ends the newest runs, for gems, on another device, which marks nothing as seen. */
const finishElsewhere = async (context: Visit['context'], runs: number): Promise<void> => {
  const player = await joinAs(server.address, context);
  const log: readonly HomeEvent[] = await player.log();
  const started = log.filter(({ type }) => type === 'town/started').slice(-runs);
  expect(started.length).toBe(runs);
  for (const { thing: id } of started) {
    await player.ask('town:use-card', { thing: id, card: 'gem' });
    await player.saw(({ type, thing: done }: HomeEvent) => type === 'town/finished' && done === id);
  }
  await player.room.leave();
};

describe.skipIf(!program)('a player in the workshop', { timeout: 60_000 }, () => {
  it('builds and upgrades the hall, finishes it by gems at the price that was shown, sows and collects', async () => {
    const { page, faults } = await come({ reducedMotion: 'no-preference' });
    await build(page, 'hall');
    const hall = thing(page, 'Hall');
    await order(hall, 'upgrade');
    await hall.locator('[role="timer"]').waitFor();
    expect(await has(page, 'wood')).toBe(50);
    await page.getByText('Builders: 1 of 2 busy').waitFor();
    await hall.locator('[data-card="gem"]').click();
    // Ten minutes at five minutes a gem.
    const pay = page.getByRole('button', { name: 'Finish for 2 × Gem' });
    await pay.waitFor();
    await page.locator('dialog').getByText('It is done right away.').waitFor();
    await shot(page, 'town-gem-1280-en');
    await pay.click();
    await hall.getByText('Level 1').waitFor();
    expect(await has(page, 'gem')).toBe(10);
    await page.getByText('Builders: 0 of 2 busy').waitFor();

    await build(page, 'plot');
    const plot = thing(page, 'Plot 1');
    await order(plot, 'wheat');
    await plot.getByText('Wheat grows').waitFor();
    expect(await has(page, 'seed')).toBe(7);
    await finish(page, plot);
    await plot.getByText('Ready: 3 × Wheat').waitFor();
    await plot.getByRole('button', { name: 'Collect' }).click();
    await plot.getByText('Ready for work').waitFor();
    expect(await has(page, 'wheat')).toBe(3);
    expect(faults).toEqual([]);
  });

  it('cancels what runs when it has read what comes back', async () => {
    const { page, context } = await come();
    await build(page, 'hall');
    const hall = thing(page, 'Hall');
    await order(hall, 'upgrade');
    const ask = () => hall.getByRole('button', { name: 'Cancel' }).click();
    await ask();
    const dialog = page.locator('dialog');
    await dialog.getByText('Back with you: 5 × Wood. The rest is lost.').waitFor();
    await shot(page, 'town-cancel-1280-en');
    await dialog.getByRole('button', { name: 'Keep going' }).click();
    await hall.locator('[role="timer"]').waitFor();
    await ask();
    await dialog.getByRole('button', { name: 'Cancel the work' }).click();
    await hall.getByText('Ready for work').waitFor();
    expect(await has(page, 'wood')).toBe(55);
    // If the run ends while the question is open, nothing is cancelled and the question closes.
    await build(page, 'plot');
    const plot = thing(page, 'Plot 1');
    await order(plot, 'wheat');
    await plot.getByRole('button', { name: 'Cancel' }).click();
    await dialog.getByText('Nothing comes back.').waitFor();
    await finishElsewhere(context, 1);
    await plot.getByText('Ready: 3 × Wheat').waitFor();
    expect(await dialog.count()).toBe(0);
  });

  it('reads when it comes back what was done and what is ready', async () => {
    const { page, context } = await come();
    for (const name of ['hall', 'plot']) await build(page, name);
    await order(thing(page, 'Hall'), 'upgrade');
    await order(thing(page, 'Plot 1'), 'wheat');
    await thing(page, 'Plot 1').locator('[role="timer"]').waitFor();
    await page.close();
    await finishElsewhere(context, 2);
    const { page: back } = await openTab(context, server.address);
    await back.getByRole('heading', { name: 'While you were away' }).waitFor();
    await back.getByText('Hall: Upgrade, done').waitFor();
    await back.getByText('Hall is now level 1!').waitFor();
    await back.getByText('Plot 1: Sow wheat, done').waitFor();
    await back.getByText('Ready: 3 × Wheat').waitFor();
    await expectAccessible(back);
    await shot(back, 'town-away-1280-en');
    await expectFitsPhone(back);
    await shot(back, 'town-away-360-en');
  });

  it('has two builders, and changes who is next in the queue and what is in it', async () => {
    const { page } = await come();
    await build(page, 'hall');
    const hall = thing(page, 'Hall');
    await order(hall, 'upgrade');
    await finish(page, hall);
    await hall.getByText('Level 1').waitFor();
    for (const _ of [1, 2, 3]) await build(page, 'plot');
    const [first, second, third] = ['Plot 1', 'Plot 2', 'Plot 3'].map((name) => thing(page, name));
    if (!first || !second || !third) throw new Error('three plots');
    await order(first, 'wheat');
    await finish(page, first);
    await first.getByRole('button', { name: 'Collect' }).click();
    for (const plot of [first, second, third]) await order(plot, 'enlarge');
    await page.getByText('Builders: 2 of 2 busy').waitFor();
    await third.getByText('Enlarge · number 1 in the queue').waitFor();
    const moves = page.getByRole('button', { name: /^(Earlier|Later)$/ });
    expect(await moves.count()).toBe(0);
    await order(hall, 'upgrade');
    await hall.getByText('Upgrade · number 2 in the queue').waitFor();
    await shot(page, 'town-queue-1280-en');
    await hall.getByRole('button', { name: 'Earlier' }).click();
    await hall.getByText('number 1 in the queue').waitFor();
    await third.getByText('number 2 in the queue').waitFor();
    await hall.getByRole('button', { name: 'Later' }).click();
    await hall.getByText('number 2 in the queue').waitFor();
    expect(await has(page, 'wood')).toBe(0);
    await third.getByRole('button', { name: 'Take back' }).click();
    await third.getByText('Ready for work').waitFor();
    await hall.getByText('number 1 in the queue').waitFor();
    expect(await has(page, 'wood')).toBe(10);
    expect(await moves.count()).toBe(0);
  });

  it('sees the time until an activity opens go on', async () => {
    const { page } = await come();
    await build(page, 'chest');
    await page.route('**/works.json', async (route) => {
      const response = await route.fetch();
      const { town, ...others } = await response.json();
      const opensAt = { 'activities.open': Date.now() + 90_000 };
      await route.fulfill({ response, json: { ...others, town: { ...town, opensAt } } });
    });
    await page.reload();
    await page.locator('.place').nth(1).click();
    const opens = page.locator('[data-activity="open"] .act-cost', { hasText: 'Opens in' });
    const first = (await opens.textContent()) ?? '';
    await opens.filter({ hasNotText: first }).waitFor({ timeout: 5_000 });
  });

  it('reads why not: what is missing before, and what the server refuses', async () => {
    const { page } = await come();
    await build(page, 'plot');
    const plot = thing(page, 'Plot 1');
    await plot.locator('[data-activity="enlarge"]').getByText('Needs Hall at level 1.').waitFor();
    await plot.locator('[data-activity="enlarge"]').dispatchEvent('click');
    await page.locator('.toast').getByText('Needs Hall at level 1.').waitFor();
    await order(plot, 'wheat');
    await plot.locator('[data-card="speed-up"]').click();
    await page
      .locator('dialog')
      .getByText(/seconds? sooner/)
      .waitFor();
    // It ripens under the open card.
    await page
      .locator('dialog')
      .getByText('It is done already. Your card is still yours.')
      .waitFor({ timeout: 30_000 });
    await page.getByRole('button', { name: 'Close' }).click();
    expect(await has(page, 'speed-up')).toBe(8);
  });
});

describe.skipIf(!program)('the workshop looks after everybody', { timeout: 60_000 }, () => {
  it.each([
    [360, 740, 'zh-CN', 'dark', '大厅', '取消'],
    [1280, 800, 'en-US', 'light', 'Hall', 'Cancel'],
  ] as const)('at %i x %i in %s, %s', async (width, height, locale, colorScheme, hallName, cancel) => {
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
    await page.keyboard.press('Escape');
    await hall.getByRole('button', { name: cancel }).click();
    await page.locator('dialog .button-danger').waitFor();
    await check();
    await shot(page, `town-cancel-${name}`);
    expect(faults).toEqual([]);
  });
});
