import { mkdirSync } from 'node:fs';
import path from 'node:path';
import axe from 'axe-core';
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { expect, type TestContext } from 'vitest';
import { joinHome, type Player } from '../support/game/player.ts';

/** With SCREENSHOTS=<folder> each `shot` is written there; no test compares them. */
const shots = process.env.SCREENSHOTS;

export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of the page, and what it wrote to the console as one. */
  readonly faults: string[];
}

/** Still unless `options` ask for motion: what moves is painted by the CPU sixty times a second. */
export const visit = async (browser: Browser, address: string, options: BrowserContextOptions = {}): Promise<Visit> => {
  const context = await browser.newContext({
    locale: 'en-US',
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    ...options,
  });
  return { ...(await openTab(context, address)), context };
};

export const openTab = async (context: BrowserContext, address: string) => {
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.stack ?? error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  await page.goto(address);
  return { page, faults };
};

/** Closes them. Of a test that has failed it first tells what was on each page then: the next best thing to having been there. */
export const leave = async (visits: Visit[], { task }: TestContext): Promise<void> => {
  for (const { page, context, faults } of visits.splice(0)) {
    if (task.result?.state === 'fail') console.error(await page.locator('body').ariaSnapshot(), faults);
    await context.close();
  }
};

const tokenOf = async (context: BrowserContext): Promise<string> => {
  const { origins } = await context.storageState();
  const kept = origins.flatMap(({ localStorage }) => localStorage);
  return kept.find(({ name }) => name === 'kibble.token')?.value ?? '';
};

/** The player of this browser's stored token, on another device. */
export const joinAs = async (address: string, context: BrowserContext): Promise<Player> =>
  joinHome(address, { token: await tokenOf(context) });

export const playerIdOf = async (context: BrowserContext): Promise<string> => {
  const [, claims = ''] = (await tokenOf(context)).split('.');
  return JSON.parse(Buffer.from(claims, 'base64url').toString()).sub;
};

export const hasShots = shots !== undefined;

export const shot = async (page: Page, name: string): Promise<void> => {
  if (!shots) return;
  mkdirSync(shots, { recursive: true });
  await page.screenshot({ path: path.join(shots, `${name}.png`), animations: 'disabled' });
};

export const adopt = async (page: Page, name = 'Rex', species = 'dog'): Promise<Locator> => {
  await page.locator(`input[value="${species}"]`).check({ force: true });
  await page.locator('.adopt input[type="text"]').fill(name);
  await page.locator('.adopt [type="submit"]').click();
  const pet = petOf(page, name);
  await pet.waitFor();
  return pet;
};

export const petOf = (page: Page, name: string): Locator =>
  page.locator('.pet', { has: page.locator('h2', { hasText: name }) });

export const item = (page: Page, name: string): Locator => page.locator(`[data-item="${name}"]`);

export const count = async (page: Page, name: string): Promise<number> =>
  Number(await item(page, name).locator('.item-count > span').first().textContent());

/** The parts of an item's name that its count covers, as texts. */
export const coveredNames = (page: Page): Promise<readonly (string | null)[]> =>
  page.locator('.item').evaluateAll((items) =>
    items.flatMap((one) => {
      const [name, count] = ['.item-name', '.item-count'].map((part) => one.querySelector(part));
      const [below, above] = [name?.getBoundingClientRect(), count?.getBoundingClientRect()];
      return name && below && above && above.bottom > below.top ? [name.textContent] : [];
    }),
  );

/** Opens a card's preview, and plays it. */
export const play = async (page: Page, card: string): Promise<void> => {
  await item(page, card).click();
  await page.locator('dialog .button-main').click();
  await page.locator('dialog').waitFor({ state: 'detached' });
};

/** What still moves in has another colour and size for a moment: judged is what things look like at rest. */
const atRest = async <Seen>(page: Page, look: () => Promise<Seen>): Promise<Seen> => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  return page.evaluate(look);
};

/** The page says so to screen readers too: a moment after its words have changed. */
export const speaks = (page: Page, lang: string): Promise<void> =>
  page.locator(`html[lang="${lang}"]`).waitFor({ state: 'attached' });

/** Nothing that keeps people out. */
export const expectAccessible = async (page: Page): Promise<void> => {
  // More than a megabyte: once a page.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  const found = await atRest(page, async () => {
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run(document);
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(
        ({ id, nodes }) =>
          `${id}: ${nodes.map((node) => `${node.html.slice(0, 160)} ${node.failureSummary}`).join('\n')}`,
      );
  });
  expect(found).toEqual([]);
};

/** Nothing sticks out to the side. */
export const expectNoSideScroll = async (page: Page): Promise<void> => {
  expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(
    0,
  );
};

/** All that can be touched is large enough to be hit. */
export const expectLargeTargets = async (page: Page): Promise<void> => {
  const small = await atRest(page, async () =>
    [...document.querySelectorAll('button, select, input:not([type="radio"])')]
      .map((element) => ({
        html: element.outerHTML.slice(0, 120),
        // Its label is part of it.
        ...((element.matches('[type="checkbox"]') && element.closest('label')) || element)
          .getBoundingClientRect()
          .toJSON(),
      }))
      .filter(({ width, height }) => width > 0 && (width < 44 || height < 44))
      .map(({ html, width, height }) => `${width}x${height} ${html}`),
  );
  expect(small).toEqual([]);
};

/** From here on the page is as narrow as a small phone: nothing sticks out, and all can be hit. */
export const expectFitsPhone = async (page: Page): Promise<void> => {
  await page.setViewportSize({ width: 360, height: 740 });
  await expectNoSideScroll(page);
  await expectLargeTargets(page);
};
