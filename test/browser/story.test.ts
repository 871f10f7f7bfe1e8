import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { buildPage } from '../../build/build-page.ts';
import { type ServerProcess, startServer } from '../../examples/support/server-process.ts';
import { tries } from '../proof/table/tries.ts';
import { chromiumProgram, launchChromium } from '../support/machine/chromium.ts';
import { freeze, startPageServer } from './page-server.ts';
import {
  adopt,
  count,
  coveredNames,
  expectAccessible,
  expectFitsPhone,
  expectLargeTargets,
  expectNoSideScroll,
  hasShots,
  item,
  joinAs,
  leave,
  openTab,
  petOf,
  play,
  playerIdOf,
  shot,
  speaks,
  type Visit,
  visit,
} from './support.ts';
import { unhurriedRules } from './unhurried-rules.ts';

const program = await chromiumProgram(inject('chromiumUrl'));

let folder: string;
let rules: string;
let server: Awaited<ReturnType<typeof startPageServer>>;
let browser: Browser;
const visits: Visit[] = [];

/** With the Postgres that it brings. */
const start = (port: string, data: string): Promise<ServerProcess> =>
  startServer({ PORT: port, DATA_DIR: path.join(folder, data), RULES_FILE: rules });

beforeAll(async () => {
  if (!program) return;
  await buildPage('client');
  folder = mkdtempSync(path.join(os.tmpdir(), 'kibble-page-'));
  rules = unhurriedRules(folder);
  [server, browser] = await Promise.all([startPageServer({ RULES_FILE: rules }), launchChromium(program)]);
}, 90_000);

afterEach((context) => leave(visits, context));

afterAll(async () => {
  await browser?.close();
  await server?.kill();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

const come = async (options: Parameters<typeof visit>[2] = {}, address = server.address): Promise<Visit> => {
  const visited = await visit(browser, address, options);
  visits.push(visited);
  return visited;
};

const moving = (page: Page): Promise<number> => page.evaluate(() => document.getAnimations().length);
const spoken = (page: Page) => page.locator('[role="status"]');
/** The reply to the last command has come, which may be after its state: until then the page takes no other for the pet. */
const settled = (page: Page) => page.locator('.pet[data-pending="true"]').waitFor({ state: 'detached' });
const sees = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();

describe.skipIf(!program)('a player in a real browser', { timeout: 60_000 }, () => {
  it('plays a whole chain: feeds, looks at what a card does, cuts, boosts, is fed by itself, and rises a level', async () => {
    const { page, faults } = await come({ reducedMotion: 'no-preference' });
    await page.locator('.welcome').waitFor();
    const pet = await adopt(page);
    await sees(page, 'Hungry');
    await item(page, 'dog-food').click();
    await pet.locator('[role="timer"]').waitFor();
    expect(await spoken(page).textContent()).toMatch(/Rex is eating Kibble, done at/);
    expect(await moving(page)).toBeGreaterThan(0);
    await play(page, 'auto-feed');
    await pet.getByText('Auto-feed × 1').waitFor();
    await item(page, 'speed-up').click();
    await page.locator('dialog').getByText('10 minutes sooner').waitFor();
    expect(await count(page, 'speed-up')).toBe(8);
    await page.locator('dialog .button-main').click();
    await expect.poll(() => count(page, 'speed-up'), { timeout: 10_000 }).toBe(7);
    await play(page, 'boost');
    await pet.getByText(/2× speed/).waitFor();
    // News are seen for five or six seconds, in which a busy machine may still close the dialog: so they are awaited from before.
    const again = /Auto-feed: Rex is eating Kibble again/;
    await Promise.all([sees(page, 'Rex has finished: +10 XP'), sees(page, again), play(page, 'speed-up')]);
    const happy = pet.getByText('All eaten up!').waitFor();
    await Promise.all([sees(page, 'Rex is now level 2!'), happy, endMeal(page)]);
    await pet.getByText('20 of 50 XP').waitFor();
    expect(await count(page, 'dog-food')).toBe(28);
    expect(faults).toEqual([]);
  });

  it('is asked before a card is wasted, and keeps it when he says no', async () => {
    const { page } = await come();
    const pet = await adopt(page);
    await item(page, 'snack').click();
    await pet.locator('[role="timer"]').waitFor();
    await item(page, 'speed-up').click();
    await page.locator('dialog .note-warning').waitFor();
    await shot(page, 'waste-1280-en');
    await page.getByRole('button', { name: 'Use it anyway' }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
    expect(await count(page, 'speed-up')).toBe(8);
    await item(page, 'speed-up').click();
    await page.getByRole('button', { name: 'Use it anyway' }).click();
    await vi.waitFor(async () => expect(await count(page, 'speed-up')).toBe(7), 5_000);
  });

  it('is told when the meal ends under an open card, and has nothing else to read there', async () => {
    const { page } = await come();
    const pet = await adopt(page);
    await item(page, 'snack').click();
    await pet.locator('[role="timer"]').waitFor();
    await item(page, 'auto-feed').click();
    const dialog = page.locator('dialog');
    await dialog.getByText('This meal is over').waitFor({ timeout: 30_000 });
    await shot(page, 'card-over-1280-en');
    expect(await dialog.textContent()).toBe('Auto\u2011feed for RexThis meal is over. Your card is still yours.Close');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await count(page, 'auto-feed')).toBe(8);
  });

  it('takes back a meal within seconds, stops another one with its cards coming back, and disarms', async () => {
    const { page } = await come();
    const pet = await adopt(page);
    await item(page, 'dog-food').click();
    await pet.getByRole('button', { name: /Undo/ }).click();
    await pet.getByText('Hungry').waitFor();
    expect(await count(page, 'dog-food')).toBe(30);
    await item(page, 'dog-food').click();
    await item(page, 'auto-feed').click();
    await page.getByRole('button', { name: 'One more' }).click();
    await page.getByRole('button', { name: 'Use 2 cards' }).click();
    await pet.getByText('Auto-feed × 2').waitFor();
    await settled(page);
    await pet.getByRole('button', { name: /Take an auto-feed card back/ }).click();
    await pet.getByText('Auto-feed × 1').waitFor();
    await pet.getByRole('button', { name: 'Stop' }).click();
    await page.locator('dialog').getByText('The Kibble is gone').waitFor();
    await page
      .locator('dialog')
      .getByText(/You get back: 1 × Auto/)
      .waitFor();
    await page.getByRole('button', { name: 'Stop the meal' }).click();
    await pet.getByText('Hungry').waitFor();
    expect(await count(page, 'auto-feed')).toBe(8);
    expect(await count(page, 'dog-food')).toBe(29);
    await settled(page);
    await pet.getByRole('button', { name: /Give away Rex/ }).click();
    await page.locator('dialog').getByRole('button', { name: 'Give away' }).click();
    await page.locator('.welcome').waitFor();
  });

  it('reads in the dialog why a name is refused', async () => {
    const { page } = await come();
    await adopt(page);
    await page.locator('.pet-new button').click();
    const dialog = page.locator('dialog');
    await dialog.locator('input[type="text"]').fill('   ');
    await dialog.locator('[type="submit"]').click();
    await dialog.locator('[role="alert"]').getByText('Please choose another name.').waitFor();
    expect(await page.locator('.toast').getByText('Please choose another name.').count()).toBe(0);
    await expectAccessible(page);
    await adopt(page, 'Tom', 'cat');
    await dialog.waitFor({ state: 'detached' });
  });

  it('reads why a question is refused for another reason than an end', async () => {
    const { page, context } = await come();
    const pet = await adopt(page);
    await item(page, 'dog-food').click();
    await play(page, 'auto-feed');
    await pet.getByText('Auto-feed × 1').waitFor();
    await settled(page);
    await freeze(server.address, await playerIdOf(context));
    await pet.getByRole('button', { name: 'Stop' }).click();
    // The dialog asks again after a while: on a slow machine before the first refusal has come.
    await page.locator('.toast').getByText('This home is closed for the moment.').waitFor();
    await page.locator('dialog').waitFor({ state: 'detached' });
  });

  it('has two tabs in step', async () => {
    const { page, context } = await come();
    const pet = await adopt(page);
    const other = await openTab(context, server.address);
    await petOf(other.page, 'Rex').getByText('Hungry').waitFor();
    await item(page, 'dog-food').click();
    await petOf(other.page, 'Rex').locator('[role="timer"]').waitFor();
    await play(other.page, 'auto-feed');
    await pet.getByText('Auto-feed × 1').waitFor();
    expect(await count(page, 'auto-feed')).toBe(7);
    await settled(other.page);
    await petOf(other.page, 'Rex')
      .getByRole('button', { name: /Take an auto-feed card back/ })
      .click();
    await pet.getByText('Auto-feed × 1').waitFor({ state: 'detached' });
  });

  it('does with the keyboard alone what hands can do', async () => {
    const { page } = await come();
    await page.locator('.welcome').waitFor();
    const press = (key: string) => page.keyboard.press(key);
    /** Walks on to what has this name or text, and waits until nothing is under way that it would wait for. */
    const walkTo = async (name: RegExp): Promise<void> => {
      for (let steps = 0; steps < 40; steps += 1) {
        const at = await page.evaluate(() => {
          const { activeElement: active } = document;
          if (active === document.body) return '';
          return `${active?.getAttribute('aria-label') ?? ''} ${active?.textContent ?? ''} ${active?.getAttribute('value') ?? ''}`;
        });
        if (name.test(at)) return settled(page);
        await press('Tab');
      }
      throw new Error(`the keyboard does not reach ${name}`);
    };
    await walkTo(/dog$/);
    await press('ArrowRight');
    await walkTo(/Adopt/);
    await press('Enter');
    // After the reply the page moves the focus to the adopted pet.
    await page.locator('.pet :focus').waitFor();
    await walkTo(/Kibble.*20m/);
    await press('Enter');
    await page.locator('[role="timer"]').waitFor();
    await walkTo(/Auto.feed.*\+1 meal/);
    await press('Enter');
    await page.locator('dialog').waitFor();
    await walkTo(/Use the card/);
    await press('Enter');
    await page.getByText('Auto-feed × 1').waitFor();
    // The focus is where it was before the dialog.
    expect(await page.evaluate(() => document.activeElement?.getAttribute('data-item'))).toBe('auto-feed');
    await walkTo(/Take an auto-feed card back/);
    await press('Enter');
    await page.getByText('Auto-feed × 1').waitFor({ state: 'detached' });
  });
});

describe.skipIf(!program)('when the world is not well', { timeout: 90_000 }, () => {
  it('comes back after the server was killed in the middle of a chain, and nothing is lost', async () => {
    const first = await start('0', 'killed');
    onTestFinished(() => first.kill());
    const { page } = await come({}, first.address);
    const pet = await adopt(page);
    await item(page, 'dog-food').click();
    await play(page, 'auto-feed');
    await pet.getByText('Auto-feed × 1').waitFor();
    const { port } = new URL(first.address);
    await first.kill();
    await sees(page, /Connection lost/);
    await shot(page, 'banner-1280-en');
    await expectAccessible(page);
    const second = await start(port, 'killed');
    onTestFinished(() => second.kill());
    await page.locator('.banner-lost').waitFor({ state: 'detached' });
    await endMeal(page);
    // A card's dialog that opened before would be of the meal that ends.
    await pet.getByText('10 of 20 XP').waitFor();
    await endMeal(page);
    await pet.getByText('20 of 50 XP').waitFor();
    expect(await count(page, 'dog-food')).toBe(28);
    expect(await count(page, 'auto-feed')).toBe(7);
  });

  it('keeps a card pending while the device is offline, and plays it once when it is back', async () => {
    const { page, context } = await come();
    const pet = await adopt(page);
    await item(page, 'dog-food').click();
    await item(page, 'auto-feed').click();
    await context.setOffline(true);
    await page.locator('dialog .button-main').click();
    await pet.getByText('Waiting for the connection').waitFor();
    await sees(page, /Connection lost/);
    await shot(page, 'offline-1280-en');
    expect(await count(page, 'auto-feed')).toBe(8);
    await context.setOffline(false);
    await pet.getByText('Waiting for the connection').waitFor({ state: 'detached' });
    await pet.getByText('Auto-feed × 1').waitFor();
    expect(await count(page, 'auto-feed')).toBe(7);
  });

  it('tells who comes back what happened while he was away', async () => {
    const { page, context } = await come();
    const pet = await adopt(page);
    await item(page, 'dog-food').click();
    await play(page, 'auto-feed');
    await pet.getByText('Auto-feed × 1').waitFor();
    await page.close();
    const watcher = await openTab(context, server.address);
    // Another tab that is seen marks nothing as missed: it must be closed as well before the chain ends.
    await petOf(watcher.page, 'Rex').locator('[role="timer"]').waitFor();
    await watcher.page.close();
    await endMeals(context, 2);
    const back = await openTab(context, server.address);
    await back.page.getByRole('heading', { name: 'While you were away' }).waitFor();
    await back.page.getByText('Rex finished 2 meals (+20 XP)').waitFor();
    await back.page.getByText('1 was served by auto-feed').waitFor();
    await expectAccessible(back.page);
    await shot(back.page, 'away-1280-en');
    await expectFitsPhone(back.page);
    await shot(back.page, 'away-360-en');
    await back.page.getByRole('button', { name: 'Good to know' }).click();
    await back.page.reload();
    await petOf(back.page, 'Rex').waitFor();
    expect(await back.page.locator('dialog').count()).toBe(0);
  });

  it('has not moved while a tab slept, and is right at once when it is seen again', async () => {
    const { page, context } = await come();
    const pet = await adopt(page);
    await item(page, 'dog-food').click();
    await play(page, 'auto-feed');
    await pet.locator('[role="timer"]').waitFor();
    await page.evaluate(() => {
      const ring = document.querySelector('.ring-arc');
      if (!ring) throw new Error('no ring');
      const { dataset } = document.documentElement;
      dataset.moves = '0';
      new MutationObserver((moves) => {
        dataset.moves = String(Number(dataset.moves) + moves.length);
      }).observe(ring, { attributeFilter: ['style'] });
    });
    const moves = () => page.evaluate(() => Number(document.documentElement.dataset.moves));
    await expect.poll(moves, { timeout: 10_000 }).toBeGreaterThan(2);
    await setHidden(page, true);
    const movesBefore = await moves();
    await endMeals(context, 2);
    await expect.poll(() => xpShown(page), { timeout: 10_000 }).toMatch('20 of 50');
    expect(await moves()).toBe(movesBefore);
    await setHidden(page, false);
    expect(await pet.locator('[role="timer"]').count()).toBe(0);
  });
});

/** The first two differ in everything. */
const views = [
  [360, 740, 'zh-CN', 'dark', '自动续餐 × 1'],
  [1280, 800, 'en-US', 'light', 'Auto-feed × 1'],
  [768, 1024, 'en-US', 'dark', 'Auto-feed × 1'],
  [360, 740, 'en-US', 'light', 'Auto-feed × 1'],
  [1280, 800, 'zh-CN', 'light', '自动续餐 × 1'],
] as const;

describe.skipIf(!program)('looks after everybody', { timeout: 60_000 }, () => {
  it.each(views.slice(0, hasShots ? views.length : tries({ test: 2, proof: views.length })))(
    'at %i x %i in %s, %s',
    async (width, height, locale, colorScheme, armed) => {
      const { page, faults } = await come({ viewport: { width, height }, locale, colorScheme });
      const name = `${width}-${locale.slice(0, 2)}-${colorScheme}`;
      const check = async (): Promise<void> => {
        await expectAccessible(page);
        await expectNoSideScroll(page);
        await expectLargeTargets(page);
      };
      await page.locator('.welcome').waitFor();
      await check();
      await shot(page, `welcome-${name}`);
      await adopt(page, 'Momo', 'cat');
      await page.locator('.pet-new button').click();
      await page.locator('dialog').waitFor();
      await check();
      await shot(page, `adopt-${name}`);
      await adopt(page, 'Hazel', 'rabbit');
      await page.locator('.pet-new button').click();
      const pet = await adopt(page, 'Rex', 'dog');
      await item(page, 'dog-food').click();
      await pet.locator('[role="timer"]').waitFor();
      expect(await coveredNames(page)).toEqual([]);
      await item(page, 'auto-feed').click();
      await page.locator('dialog').waitFor();
      await check();
      await shot(page, `card-${name}`);
      await page.locator('dialog .button-main').click();
      await pet.getByText(armed).waitFor();
      await petOf(page, 'Momo').locator('.pet-choose').click();
      await item(page, 'snack').click();
      await petOf(page, 'Momo').locator('[role="timer"]').waitFor();
      await play(page, 'boost');
      await petOf(page, 'Momo').locator('.chip-boost').waitFor();
      await petOf(page, 'Momo').locator('.chip-pending').waitFor({ state: 'detached' });
      await check();
      await shot(page, `home-${name}`);
      if (hasShots) {
        await page.locator('.pet-happy').first().waitFor();
        await shot(page, `happy-${name}`);
      }
      expect(faults).toEqual([]);
    },
  );

  it('says everything in the other language at once, and remembers it', async () => {
    const { page } = await come();
    await page.locator('.welcome').waitFor();
    await page.locator('select').selectOption('zh');
    await page.getByRole('heading', { name: '谁来和你一起住？' }).waitFor();
    await speaks(page, 'zh-CN');
    await page.reload();
    await page.getByRole('heading', { name: '谁来和你一起住？' }).waitFor();
  });

  it('keeps still for those who asked for less motion, and still counts', async () => {
    const { page } = await come({ reducedMotion: 'reduce' });
    const pet = await adopt(page);
    await item(page, 'dog-food').click();
    const timer = pet.locator('[role="timer"]');
    const first = (await timer.textContent()) ?? '';
    expect(await moving(page)).toBe(0);
    await timer.filter({ hasNotText: first }).waitFor();
  });
});

const xpShown = (page: Page): Promise<string | null> => petOf(page, 'Rex').locator('.pet-xp-text').textContent();

/** Two cards are a whole meal. */
const endMeal = async (page: Page): Promise<void> => {
  for (const _ of [1, 2]) await play(page, 'speed-up');
};

/** Ends meals on another device of the same player, which marks nothing as seen. */
const endMeals = async (context: Visit['context'], meals: number): Promise<void> => {
  const player = await joinAs(server.address, context);
  const petId = (await player.log()).find((event) => event.type === 'pet-adopted')?.petId;
  for (let meal = 1; meal <= meals; meal += 1) {
    await player.ask('home:use-card', { petId, card: 'speed-up', count: 2 });
    await player.saw((event) => event.type === 'feeding-completed' && event.totalXp === meal * 10);
  }
  await player.room.leave();
};

/** As the browser does when another tab is in front. */
const setHidden = (page: Page, isHidden: boolean): Promise<void> =>
  page.evaluate((hidden) => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
    document.dispatchEvent(new Event('visibilitychange'));
  }, isHidden);
