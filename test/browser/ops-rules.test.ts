import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { pets, works } from '../../server/kibble.ts';
import { tokenOf, why } from '../support/game/ops-server.ts';
import { chromiumProgram } from '../support/machine/chromium.ts';
import { closeDialog, confirm, type Desk, openDesk, preview, signIn } from './ops-desk.ts';
import { expectAccessible, expectFitsPhone, expectNoSideScroll, shot, speaks } from './support.ts';

const program = await chromiumProgram(inject('chromiumUrl'));
const rules = {
  starter: { items: { gold: 100 } },
  things: { hut: { limit: 1, takes: { gold: 10 } }, mill: { limit: 2, takes: { gold: 40 } } },
  activities: { dig: { on: ['hut'], workMs: '1h', gives: { stone: 1 } } },
};

let desk: Desk;

beforeAll(async () => {
  if (!program) return;
  const modules = [
    pets(),
    works({ name: 'town', rules }),
    works({ name: 'port', rules }),
    works({ name: 'mine', rules }),
  ];
  desk = await openDesk(program, inject('postgresUrl'), modules);
}, 240_000);
afterEach(() => desk?.leave());
afterAll(() => desk?.close());

const TEXT = '[name="rules"]';
const textOf = async (page: Page) => JSON.parse(await page.locator(TEXT).inputValue());
const check = async (page: Page, text: string): Promise<void> => {
  await page.locator(TEXT).fill(text);
  await page.locator('.rules-do [type="submit"]').click();
};
/** Rules change once a second at most. */
const later = (): void => desk.server.clock.advance(2000);
const priced = (gold: number) => ({ ...rules, things: { ...rules.things, hut: { limit: 1, takes: { gold } } } });
const inForce = (module: string) => Object(desk.server.kibble.rules.config(module)).things.hut.takes.gold;

describe.skipIf(!program)('the rules of a module', { timeout: 120_000 }, () => {
  it('are changed by an admin who reads the differences first, and rolled back', async () => {
    later();
    const { page, faults } = await desk.come('#/rules');
    await page.locator('[data-rules="town"] a').click();
    await page.locator(TEXT).waitFor();
    expect(await textOf(page)).toEqual(rules);
    await check(page, JSON.stringify(rules));
    await page.getByText('No difference to the version in force.').waitFor();
    expect(await page.locator('[data-act="replaceRules"]').count()).toBe(0);

    await check(page, JSON.stringify(priced(25)));
    const difference = page.locator('[data-difference="things.hut.takes.gold"]');
    await difference.waitFor();
    expect((await difference.locator('code').allTextContents()).slice(1)).toEqual(['10', '25']);
    await page.locator('[data-act="replaceRules"]').click();
    await preview(page, 'a dearer hut');
    await page.locator('dialog .told').getByText('things.hut.takes.gold: 10 → 25').waitFor();
    expect(inForce('town')).toBe(10);
    expect(await confirm(page)).toContain('the-admin change-rules rules:town');
    expect(inForce('town')).toBe(25);
    await closeDialog(page);
    const versions = page.locator('[data-version]');
    await page.locator('[data-version="2"]', { hasText: 'in force' }).waitFor();
    expect(await versions.first().textContent()).toMatch(/the-admin.*a dearer hut/);
    await page.waitForFunction((at) => document.querySelector<HTMLTextAreaElement>(at)?.value.includes('25'), TEXT);

    later();
    await page.locator('[data-version="1"] [data-act="rollBackRules"]').click();
    await preview(page, 'too dear');
    await page.locator('dialog .told').getByText('things.hut.takes.gold: 25 → 10').waitFor();
    await confirm(page);
    await closeDialog(page);
    await page.locator('[data-version="3"]', { hasText: 'in force' }).waitFor();
    expect(inForce('town')).toBe(10);
    await page.waitForFunction((at) => !document.querySelector<HTMLTextAreaElement>(at)?.value.includes('25'), TEXT);
    expect(await textOf(page)).toEqual(rules);
    expect(faults).toEqual([]);
  });

  it('are refused whole, each fault with its place, and not as JSON where they are none', async () => {
    later();
    const { page } = await desk.come('#/rules/port');
    await page.locator(TEXT).waitFor();
    await check(page, '{ "things": ');
    await page.getByText('This is no JSON').waitFor();
    const faulty = { ...priced(-1), cancelGivesBack: 3, cards: { x: { effect: 'burn' } } };
    await check(page, JSON.stringify(faulty, undefined, 2));
    await page.getByText('3 faults').waitFor();
    const places = await page.locator('[data-fault]').evaluateAll((lines) => lines.map((line) => line.dataset.fault));
    expect(places.toSorted()).toEqual(['cancelGivesBack', 'cards.x.effect', 'things.hut.takes.gold']);
    expect(await page.locator('[data-act="replaceRules"]').count()).toBe(0);
    await page.locator('[data-fault="things.hut.takes.gold"] button').click();
    const isSelected = ([at, value]: readonly string[]): boolean => {
      const area = document.querySelector<HTMLTextAreaElement>(at ?? '');
      return area?.value.slice(area.selectionStart, area.selectionEnd) === value;
    };
    expect(await page.evaluate(isSelected, [TEXT, '-1'])).toBe(true);
    await shot(page, 'ops-rules-faults-en');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Undo my changes' }).click();
    expect(await textOf(page)).toEqual(rules);
    expect(inForce('port')).toBe(10);
  });

  it('that another operator has changed meanwhile are not written over', async () => {
    later();
    const { page } = await desk.come('#/rules/mine');
    await page.locator(TEXT).waitFor();
    await page.locator(TEXT).fill(JSON.stringify(priced(30)));
    const order = { module: 'mine', config: priced(20), expectedVersion: 1, by: 'cleo', ...why() };
    await desk.server.kibble.rules.replace(order);
    later();
    await page.getByText('cleo has put version 2 in force by now.').waitFor();
    await page.locator('.rules-do [type="submit"]').click();
    await page.locator('.note-fault', { hasText: 'rules/changed' }).waitFor();
    await page.getByRole('link', { name: 'Load it, and drop my text' }).click();
    await page.locator('[data-version="2"]', { hasText: 'in force' }).waitFor();
    await page.waitForFunction((at) => document.querySelector<HTMLTextAreaElement>(at)?.value.includes('20'), TEXT);
    expect(await textOf(page)).toEqual(priced(20));
    // An older version is looked at, and can be taken from there.
    await page.locator('[data-version="1"] a').click();
    await page.getByText('This is an older version. In force is version 2.').waitFor();
    expect(await textOf(page)).toEqual(rules);
  });

  it('that were typed outlive a look at an older version and a refused token', async () => {
    later();
    const { page } = await desk.come('#/rules/mine');
    await page.locator('[data-version="1"] a').waitFor();
    const typed = JSON.stringify(priced(77));
    await page.locator(TEXT).fill(typed);
    await page.locator('[data-version="1"] a').click();
    await page.getByText('This is an older version.').waitFor();
    expect(await textOf(page)).toEqual(rules);
    await page.getByRole('link', { name: 'Look at that' }).click();
    await page.getByText('This is an older version.').waitFor({ state: 'detached' });
    expect(await page.locator(TEXT).inputValue()).toBe(typed);
    const refused = { status: 401, json: { code: 'auth/token' } };
    await page.route('**/api/rules', (route) => route.fulfill(refused), { times: 1 });
    await page.locator('.sign-in').waitFor();
    await signIn(page, tokenOf('admin'));
    await page.locator(TEXT).waitFor();
    expect(await page.locator(TEXT).inputValue()).toBe(typed);
    const asked = page.waitForEvent('dialog');
    const reloaded = page.reload();
    await (await asked).accept();
    await reloaded;
    await page.locator(TEXT).waitFor();
    expect(await page.locator(TEXT).inputValue()).not.toBe(typed);
  });

  it('that were typed over an older version are marked in the history, and found there', async () => {
    later();
    const { version } = await desk.server.kibble.rules.current('mine');
    const { page } = await desk.come('#/rules/mine');
    await page.locator(TEXT).waitFor();
    const typed = JSON.stringify(priced(78));
    await page.locator(TEXT).fill(typed);
    await page.locator('.nav a[href="#/audit"]').click();
    const order = { module: 'mine', config: priced(21), expectedVersion: version, by: 'cleo', ...why() };
    await desk.server.kibble.rules.replace(order);
    await page.locator('.nav a[href="#/rules"]').click();
    await page.locator('[data-rules="mine"] a').click();
    await page.locator(`[data-version="${version}"]`, { hasText: 'my text' }).getByRole('link').click();
    await page.getByText('This is an older version.').waitFor();
    expect(await page.locator(TEXT).inputValue()).toBe(typed);
    await page.getByRole('button', { name: 'Undo my changes' }).click();
  });

  it('of another operator are loaded also where an older version was looked at', async () => {
    later();
    const { version } = await desk.server.kibble.rules.current('mine');
    const { page } = await desk.come(`#/rules/mine?at=${version}`);
    await page.locator(TEXT).waitFor();
    const order = { module: 'mine', config: priced(23), expectedVersion: version, by: 'cleo', ...why() };
    await desk.server.kibble.rules.replace(order);
    later();
    await page.getByRole('link', { name: 'Load it, and drop my text' }).click();
    await page.waitForFunction((at) => document.querySelector<HTMLTextAreaElement>(at)?.value.includes('23'), TEXT);
    expect(await textOf(page)).toEqual(priced(23));
  });

  it('that were checked are checked again after the change of another operator', async () => {
    later();
    const { page } = await desk.come('#/rules/mine?at=1');
    await page.locator(TEXT).waitFor();
    await check(page, JSON.stringify(priced(31)));
    await page.locator('[data-act="replaceRules"]').waitFor();
    const { version } = await desk.server.kibble.rules.current('mine');
    later();
    const order = { module: 'mine', config: priced(22), expectedVersion: version, by: 'cleo', ...why() };
    await desk.server.kibble.rules.replace(order);
    await page.getByText(`In force is version ${version + 1}.`).waitFor();
    expect(await page.locator('[data-act="replaceRules"]').count()).toBe(0);
  });

  it('that were taken from an older version show their outcome, and are the newest then', async () => {
    later();
    const { version } = await desk.server.kibble.rules.current('mine');
    const { page } = await desk.come('#/rules/mine?at=1');
    await page.locator(TEXT).waitFor();
    await check(page, JSON.stringify(priced(41)));
    await page.locator('[data-act="replaceRules"]').click();
    await preview(page, 'dearer than ever');
    await confirm(page);
    expect(await page.locator('dialog .audit-entry').count()).toBe(1);
    await closeDialog(page);
    await page.locator(`[data-version="${version + 1}"]`, { hasText: 'in force' }).waitFor();
    expect(await textOf(page)).toEqual(priced(41));
    await page.reload();
    await page.locator(TEXT).waitFor();
  });

  it('say to load the page again where a release has replaced its scripts', async () => {
    const { page } = await desk.come('#/audit', {}, 'viewer');
    await page.locator('.header').waitFor();
    await page.route('**/rules-page-*.js', (route) => route.fulfill({ status: 404 }));
    await page.locator('.nav a[href="#/rules"]').click();
    await page.locator('.note-fault', { hasText: 'Load it again' }).waitFor();
  });

  it('say where this server has others than those in force', async () => {
    const { page } = await desk.come('', {}, 'viewer');
    await page.route('**/api/rules', async (route) => {
      const { modules } = await (await route.fetch()).json();
      const odd = { mine: { isUnreadable: true }, port: { isFileWaiting: true } };
      const told = modules.map((one: { module: keyof typeof odd }) => ({ ...one, ...odd[one.module] }));
      await route.fulfill({ json: { modules: told } });
    });
    await page.locator('.nav a[href="#/rules"]').click();
    await page.locator('.note-fault', { hasText: 'mine: This server cannot read version' }).waitFor();
    await page.locator('.note', { hasText: 'port: This server was started with other rules' }).waitFor();
    await shot(page, 'ops-rules-notes-en');
    await page.locator('[data-rules="port"] a').click();
    await page.locator('.note', { hasText: 'This server was started with other rules' }).waitFor();
  });

  it('are read by a viewer, who changes nothing', async () => {
    const { page } = await desk.come('#/rules/port', {}, 'viewer');
    await page.locator(TEXT).waitFor();
    expect(await page.locator(TEXT).getAttribute('readonly')).not.toBeNull();
    await page.locator('.read-only', { hasText: 'Your role, viewer, looks on.' }).first().waitFor();
    expect(await page.locator('[data-act]').count()).toBe(0);
  });

  it('are read in Chinese', async () => {
    later();
    const { page } = await desk.come('#/rules', { locale: 'zh-CN' });
    await speaks(page, 'zh-CN');
    await page.locator('[data-rules="port"]').waitFor();
    await shot(page, 'ops-rules-all-zh');
    await page.locator('[data-rules="port"] a').click();
    await page.locator(TEXT).waitFor();
    await check(page, JSON.stringify({ ...priced(15), cancelGivesBack: 0.5 }, undefined, 2));
    await page.locator('[data-act="replaceRules"]').waitFor();
    await page.locator('[data-version="1"]').waitFor();
    await expectAccessible(page);
    await expectNoSideScroll(page);
    await page.setViewportSize({ width: 1280, height: 1500 });
    await shot(page, 'ops-rules-differences-zh');
    await page.locator('[data-act="replaceRules"]').click();
    await preview(page, '降价活动');
    await shot(page, 'ops-rules-apply-zh');
  });

  it('fit a phone', async () => {
    const { page } = await desk.come('#/rules/port', { hasTouch: true, isMobile: true });
    await page.locator('[data-version="1"]').waitFor();
    await check(page, JSON.stringify(priced(15)));
    await page.locator('[data-act="replaceRules"]').waitFor();
    await expectFitsPhone(page);
    await shot(page, 'ops-rules-phone-en');
    // Six pages have room side by side.
    expect(await page.locator('.nav').evaluate((nav) => nav.scrollWidth - nav.clientWidth)).toBe(0);
  });
});
