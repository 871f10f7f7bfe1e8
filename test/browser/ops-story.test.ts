import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { tries } from '../proof/table/tries.ts';
import { HOUR_MS } from '../support/game/ops-server.ts';
import { chromiumProgram } from '../support/machine/chromium.ts';
import { closeDialog, confirm, type Desk, goTo, openDesk, preview } from './ops-desk.ts';
import { expectAccessible, expectLargeTargets, expectNoSideScroll, hasShots, shot, speaks } from './support.ts';

const program = await chromiumProgram(inject('chromiumUrl'));
const MINUTE_MS = 60_000;
const TEN_SECONDS_MS = 10_000;
let desk: Desk;

beforeAll(async () => {
  if (!program) return;
  desk = await openDesk(program, inject('postgresUrl'));
  await liveAWhile();
}, 240_000);
afterEach(() => desk?.leave());
afterAll(() => desk?.close());

/** Data to show: active players, timers that fired a little late, and some in all windows. */
const liveAWhile = async (): Promise<void> => {
  const { server } = desk;
  for (let step = 0; step < (hasShots ? 120 : 24); step += 1) {
    if (step % 3 === 0) await desk.schedule(3 + ((step * 7) % 5), TEN_SECONDS_MS);
    for (let pets = Math.round(2 + 1.6 * Math.sin(step / 12) + ((step * 7) % 3)); pets > 0; pets -= 1) {
      const { petId = '' } = await server.play('zoe', { type: 'home:adopt', name: 'Momo', species: 'cat' });
      await server.play('zoe', { type: 'home:release', petId });
    }
    server.clock.advance(TEN_SECONDS_MS + 40 + ((step * 37) % 120) + (step % 39 === 0 ? 300 : 0));
    await server.kibble.runDue();
  }
  for (let at = 1; at <= 40; at += 1) await desk.schedule(1 + ((at * at) % 6), at * at * 1.5 * MINUTE_MS);
};

/** The first two differ in everything. */
const views = [
  [1280, 860, 'en-US', 'light', 'anna'],
  [360, 740, 'zh-CN', 'dark', 'emma'],
  [1280, 860, 'zh-CN', 'dark', 'boris'],
  [768, 1024, 'en-US', 'dark', 'clara'],
  [360, 740, 'en-US', 'light', 'diego'],
] as const;
const nameOf = ([width, , locale, colorScheme]: (typeof views)[number]) =>
  `${width}-${locale.slice(0, 2)}-${colorScheme}`;
const seen = views
  .slice(0, hasShots ? views.length : tries({ test: 2, proof: views.length }))
  .map((view) => ({ view, at: nameOf(view) }));

const optionsOf = ([width, height, locale, colorScheme]: (typeof views)[number]) => ({
  viewport: { width, height },
  locale,
  colorScheme,
  // A finger needs more room than a mouse.
  ...(width === 360 ? { hasTouch: true, isMobile: true } : {}),
});

const check = async (page: Page, view: (typeof views)[number], name: string): Promise<void> => {
  await expectAccessible(page);
  await expectNoSideScroll(page);
  if (view[0] === 360) await expectLargeTargets(page);
  await shot(page, `ops-${name}-${nameOf(view)}`);
};

const ledgers = {
  'en-US': { agrees: 'The log and the timer’s row agree.', shifted: '+2 h', lang: 'en-GB' },
  'zh-CN': { agrees: '日志与定时器的行一致。', shifted: '+2 小时', lang: 'zh-CN' },
} as const;

describe.skipIf(!program)('the whole story of an operator', { timeout: 120_000 }, () => {
  it.each(seen)('searches, explains, shifts, grants and revives at $at', async ({ view }) => {
    const { server } = desk;
    const words = ledgers[view[2]];
    const playerId = view[4];
    const { feedingId } = await desk.feedDog(playerId);
    const [timerId = ''] = await desk.kill(3);
    const dueAtMs = async (): Promise<number | undefined> =>
      (await server.ask('explainThing', { playerId }, { module: 'pets', run: feedingId })).body.dueAtMs;
    const before = (await dueAtMs()) ?? 0;

    const { page, faults } = await desk.come('', optionsOf(view), 'nobody');
    await page.locator('.sign-in').waitFor();
    await speaks(page, words.lang);
    await check(page, view, 'sign-in');
    await page.locator('input[type="password"]').fill('support-of-the-tests-k7Qz1v9XbT4mR8wL');
    await page.keyboard.press('Enter');
    await page.locator('[data-tile="dead"]').waitFor();
    await page.locator('.shards').waitFor();
    await page.locator('.bars a').first().waitFor();
    await check(page, view, 'overview');

    // Search to explanation: the hit, and why.
    await page.locator('input[type="search"]').fill(playerId.slice(0, -1));
    await page.locator('.hits').waitFor();
    await check(page, view, 'search');
    await page.locator('[data-hit="player"]').click();
    await page.locator(`[data-why="${feedingId}"]`).waitFor();
    await check(page, view, 'player');
    await page.locator(`[data-why="${feedingId}"]`).click();
    await page.locator('.verdict').getByText(words.agrees).waitFor();
    const shown = await page.locator('.verdict-due time').getAttribute('datetime');
    expect(new Date(shown ?? 0).getTime()).toBe(before);
    expect(await page.locator('[data-step]').evaluateAll((steps) => steps.map((step) => step.dataset.step))).toEqual([
      'feeding-started',
      'card-used',
      'card-used',
      'card-used',
    ]);

    // Shift: shown first, then done.
    await page.locator('[data-act="shift"]').click();
    await page.locator('dialog [name="count"]').fill('2');
    await page.locator('dialog [name="unit"]').selectOption('h');
    await check(page, view, 'shift-form');
    await preview(page, 'outage yesterday');
    await page.locator('dialog .told').getByText(words.shifted).first().waitFor();
    expect(await dueAtMs()).toBe(before);
    await check(page, view, 'shift-preview');
    expect(await confirm(page)).toMatch(/the-support.*shift.*outage yesterday/);
    await check(page, view, 'shift-done');
    await closeDialog(page);
    expect(await dueAtMs()).toBe(before + 2 * HOUR_MS);
    await page.locator('[data-step="feeding-shifted"]', { hasText: 'outage yesterday' }).waitFor();
    await check(page, view, 'why');

    // Give items.
    await page.locator('.crumbs a').click();
    await page.locator('[data-act="grant"]').click();
    await page.locator('dialog [name="item"]').fill('boost');
    await page.locator('dialog [name="count"]').fill('7');
    await preview(page, 'lost in the outage');
    await confirm(page);
    await closeDialog(page);
    await page.locator('[data-item="boost"] b', { hasText: '7' }).waitFor();

    // Revive a dead timer, from the overview by the list.
    await page.locator('.nav a[href="#/failed"]').click();
    await page.locator('.group').waitFor();
    await check(page, view, 'failed');
    const counted = await page.locator('.group-count').textContent();
    await page.locator('.group-acts a').click();
    await page.locator('[data-count]').waitFor();
    expect(await page.locator('[data-count]').getAttribute('data-count')).toBe(counted);
    expect(await page.locator('.table tbody tr').count()).toBe(Number(counted));
    await check(page, view, 'dead');
    await page.locator(`.table a[href="#/timers/${timerId}"]`).click();
    await page.locator('[data-act="reviveTimer"]').click();
    await preview(page, 'order restored');
    expect(await confirm(page)).toMatch(/the-support.*revive.*order restored/);
    await closeDialog(page);
    await page.locator('[data-act="fireTimer"]').waitFor();
    await check(page, view, 'timer');
    expect((await server.ask('timer', { timerId })).body).toMatchObject({ state: 'scheduled', attempt: 0 });
    await server.kibble.runDue();
    expect((await server.ask('timer', { timerId })).body.state).toBe('completed');

    const { entries } = (await server.ask('audit', {}, { limit: '3' })).body;
    expect(entries.map(({ actor, action, reason }) => [actor, action, reason])).toEqual([
      ['the-support', 'revive', 'order restored'],
      ['the-support', 'grant', 'lost in the outage'],
      ['the-support', 'shift', 'outage yesterday'],
    ]);
    expect(faults).toEqual([]);
  });
});

describe.skipIf(!program)('things of two modules', { timeout: 120_000 }, () => {
  it.each(seen)('stand side by side, each with its ledger and what may be done to it, at $at', async ({ view }) => {
    const playerId = `builder-${view[4]}`;
    await desk.feedDog(playerId);
    await desk.buildSites(playerId);
    const { page, faults } = await desk.come(`#/players/${playerId}`, optionsOf(view));
    await page.locator('[data-module="village"]').waitFor();
    const shown = await page.locator('[data-thing]').evaluateAll((rows) => rows.map((row) => row.dataset.thing));
    expect(shown).toEqual([`${playerId}~p2`, 'barn', 'hall', 'mill']);
    // The village offers operators nothing, so nothing is offered.
    expect(await page.locator('[data-module="village"] [data-act]').count()).toBe(0);
    expect(await page.locator('[data-module="pets"] [data-act]').count()).toBe(2);
    await check(page, view, 'two-modules');

    await page.locator(`[data-why="${playerId}~hall"]`).click();
    await page.locator('.verdict').getByText(ledgers[view[2]].agrees).waitFor();
    expect(await page.locator('[data-step]').evaluateAll((steps) => steps.map((step) => step.dataset.step))).toEqual([
      'village/queued',
      'village/started',
      'village/card-used',
    ]);
    // The boost of an hour at twice the speed does an hour of work in half an hour.
    expect(await page.locator('[data-step="village/card-used"] .sum').textContent()).toContain('÷ 2 =');
    await check(page, view, 'why-hall');
    await goTo(page, `#/players/${playerId}/things/village/barn`);
    await page.locator('[data-step="village/queued"]').waitFor();
    expect(await page.locator('[data-step]').count()).toBe(1);
    await check(page, view, 'why-barn');
    await goTo(page, `#/search?q=${playerId}%20hall`);
    await page.locator('[data-hit="thing"]').click();
    await page.locator('.thing-wanted[data-thing="hall"]').waitFor();
    expect(faults).toEqual([]);
  });
});

describe.skipIf(!program)('every page', { timeout: 120_000 }, () => {
  it.each(seen)('keeps nobody out at $at', async ({ view }) => {
    const playerId = `of-${view[4]}`;
    await desk.feedDog(playerId);
    const { page, faults } = await desk.come('', optionsOf(view));
    await page.locator('[data-tile="pending"]').waitFor();
    for (const [name, hash, sign] of [
      ['log', `#/players/${playerId}/log`, '.log-entry'],
      ['player-timers', `#/players/${playerId}/timers`, '.table'],
      ['player-audit', `#/players/${playerId}/audit`, '.empty'],
      ['timers', '#/timers', '.table'],
      ['audit', '#/audit', 'h1'],
      ['jobs', '#/jobs', '[data-act="createJob"]'],
      ['found', '#/search?q=of-', '.hit-list'],
      ['nothing', '#/search?q=nobody-has-this', '.empty'],
      ['unknown', '#/players/nobody-has-this', '[role="alert"]'],
    ] as const) {
      await goTo(page, hash);
      await page.locator(sign).first().waitFor();
      await check(page, view, name);
    }
    await goTo(page, '#/jobs');
    await page.locator('[data-act="createJob"]').click();
    await check(page, view, 'job-form');
    // Chromium itself notes that the last page's player is not there.
    expect(faults.filter((fault) => !fault.includes('404'))).toEqual([]);
  });
});
