import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { HOUR_MS, tokenOf, why } from '../support/game/ops-server.ts';
import { chromiumProgram } from '../support/machine/chromium.ts';
import { closeDialog, confirm, type Desk, goTo, openDesk, preview, signIn } from './ops-desk.ts';
import { expectAccessible, shot, speaks } from './support.ts';

const program = await chromiumProgram(inject('chromiumUrl'));
let desk: Desk;
let players = 0;

beforeAll(async () => {
  if (program) desk = await openDesk(program, inject('postgresUrl'));
}, 240_000);
afterEach(() => desk?.leave());
afterAll(() => desk?.close());

const acts = (page: Page): Promise<readonly (string | undefined)[]> =>
  page.locator('[data-act]').evaluateAll((buttons) => buttons.map((button) => button.dataset.act));

const grantForm = async (page: Page): Promise<void> => {
  await page.locator('[data-act="grant"]').click();
  await page.locator('dialog [name="item"]').fill('snack');
  await page.locator('dialog [name="count"]').fill('3');
};

/** Of a new player. */
const playerPage = async (role: 'viewer' | 'support' | 'admin' = 'support') => {
  const playerId = `cyd-${++players}`;
  const { feedingId } = await desk.feedDog(playerId);
  const visited = await desk.come(`#/players/${playerId}`, {}, role);
  await visited.page.locator('[data-why]').waitFor();
  const stock = async () => (await desk.server.ask('player', { playerId })).body.items.snack ?? 0;
  return { ...visited, playerId, feedingId, stock };
};

/** The next poll is sent before a dialog is open, and answered when the test says so: after the act. */
const heldAnswers = async (page: Page, address: string) => {
  const { promise: isDone, resolve: answer } = Promise.withResolvers<void>();
  const asked: string[] = [];
  await page.route(address, async (route) => {
    asked.push(route.request().url());
    await isDone;
    await route.continue();
  });
  const first = page.waitForRequest(address);
  await page.clock.runFor(6000);
  await first;
  return { asked, answer };
};

/** How far to the right the accent line of the first plot reaches: 0 (no line) to 1. */
const lineEnd = (page: Page): Promise<number> =>
  page
    .locator('.lines canvas')
    .first()
    .evaluate((canvas: HTMLCanvasElement) => {
      const pen = canvas.getContext('2d');
      if (!pen) return 0;
      pen.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--accent').trim();
      const sought = [1, 3, 5].map((at) => Number.parseInt(String(pen.fillStyle).slice(at, at + 2), 16));
      const { data, width } = pen.getImageData(0, 0, canvas.width, canvas.height);
      const found = Array.from({ length: data.length / 4 }, (_, at) => at).filter((at) =>
        sought.every((value, channel) => Math.abs((data[at * 4 + channel] ?? 0) - value) < 8),
      );
      return Math.max(0, ...found.map((at) => (at % width) / width));
    });

describe.skipIf(!program)('who may do what', { timeout: 90_000 }, () => {
  it('a viewer is offered nothing that writes, is told who may, and is refused by the API', async () => {
    const { page, playerId, feedingId, stock } = await playerPage('viewer');
    const [timerId = ''] = await desk.kill(1);
    await desk.schedule(1, HOUR_MS);
    for (const [hash, sign] of [
      [`#/players/${playerId}`, '[data-why]'],
      [`#/players/${playerId}/runs/pets/${encodeURIComponent(feedingId)}`, '.verdict'],
      [`#/timers/${timerId}`, '.facts'],
      ['#/failed', '.group'],
      ['#/jobs', '.empty'],
      ['#/', '.shards'],
    ] as const) {
      await goTo(page, hash);
      await page.locator(sign).first().waitFor();
      await page.locator('.read-only', { hasText: 'Your role, viewer, looks on.' }).first().waitFor();
      expect(await acts(page)).toEqual([]);
    }
    await goTo(page, `#/players/${playerId}`);
    await page.locator('[data-why]').waitFor();
    await shot(page, 'ops-viewer');
    const refused = await page.evaluate(
      async ([id, token, body]) => {
        const response = await fetch(`/ops/api/players/${id}/grant`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: body ?? '',
        });
        return [response.status, (await response.json()).code];
      },
      [playerId, tokenOf('viewer'), JSON.stringify(why({ items: { snack: 1 } }))],
    );
    expect(refused).toEqual([403, 'auth/role']);
    expect(await stock()).toBe(0);
  });

  it('support acts on players, and is told what only an admin may', async () => {
    const { page } = await playerPage('support');
    expect(await acts(page)).toEqual(['grant', 'take', 'freeze', 'export', 'shift', 'stop']);
    await page.getByText('Merge into …, Erase: for the role admin').waitFor();
    await goTo(page, '#/');
    await page.locator('.shards').waitFor();
    expect(await acts(page)).toEqual([]);
  });

  it('keeps its dialog open while an act is under way, and shows the outcome', async () => {
    const { page, stock, playerId } = await playerPage('support');
    for (const hash of ['#/audit', `#/players/${playerId}`]) await goTo(page, hash);
    await page.locator('[data-why]').waitFor();
    await grantForm(page);
    await preview(page, 'lost one');
    const sent = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    await page.route('**/grant', async (route) => {
      sent.resolve();
      await released.promise;
      await route.continue();
    });
    await page.locator('dialog [type="submit"]').click();
    await sent.promise;
    await page.keyboard.press('Escape');
    await page.locator('dialog:modal').waitFor();
    expect(await page.locator('dialog .dialog-actions .button-quiet').isDisabled()).toBe(true);
    const shown = page.url();
    await page.goBack();
    await page.waitForURL(shown);
    await page.locator('dialog:modal').waitFor();
    released.resolve();
    await page.locator('dialog[open] .audit-entry').waitFor();
    expect(await stock()).toBe(3);
    await closeDialog(page);
  });

  it('erases only after the id was typed, and says that it cannot be taken back; freezing can', async () => {
    const { page, playerId } = await playerPage('admin');
    await page.locator('[data-act="freeze"]').click();
    await preview(page, 'looks like a bot');
    expect(await page.locator('dialog .told-final').count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.locator('[data-act="erase"]').click();
    await preview(page, 'asked for it');
    await page.locator('dialog .told-final').waitFor();
    const go = page.locator('dialog [type="submit"]');
    expect(await go.isDisabled()).toBe(true);
    await page.locator('dialog [name="confirm"]').fill(playerId);
    await confirm(page);
    await closeDialog(page);
    await page.locator('.tiles').waitFor();
    expect((await desk.server.ask('player', { playerId })).status).toBe(404);
  });
});

describe.skipIf(!program)('the page of a thing', { timeout: 90_000 }, () => {
  it('keeps its acts when the next run of the thing has begun', async () => {
    const playerId = `cyd-${++players}`;
    const { petId } = await desk.feedDog(playerId);
    const { page } = await desk.come('#/audit', {}, 'support');
    await page.locator('.header').waitFor();
    await page.clock.install();
    await goTo(page, `#/players/${playerId}/things/pets/${encodeURIComponent(petId)}`);
    await page.locator('[data-act="shift"]').waitFor();
    const dueTime = () => page.locator('.verdict-due time').getAttribute('datetime');
    const before = await dueTime();
    // The auto-feed card feeds the dog again.
    desk.server.clock.advance(4 * HOUR_MS);
    await desk.server.kibble.runDue();
    await page.clock.runFor(6000);
    await expect.poll(dueTime, { timeout: 10_000 }).not.toBe(before);
    await page.locator('[data-act="shift"]').waitFor();
  });
});

describe.skipIf(!program)('a kind of timers', { timeout: 90_000 }, () => {
  it('is paused and resumed by an administrator, after a preview', async () => {
    const { page } = await playerPage('admin');
    await page.goto(`${desk.server.address}/ops/`);
    const kind = page.locator('[data-kind="order"]');
    await kind.locator('[data-act="pauseKind"]').click();
    await preview(page, 'the shop is down');
    expect((await desk.server.ask('overview')).body.kinds).toContainEqual({ kind: 'order', isPaused: false });
    await confirm(page);
    await closeDialog(page);
    await kind.locator('[data-act="resumeKind"]').click();
    await preview(page, 'the shop is back');
    await confirm(page);
    await closeDialog(page);
    await kind.locator('[data-act="pauseKind"]').waitFor();
  });
});

describe.skipIf(!program)('the list of timers', { timeout: 90_000 }, () => {
  it('says how a timer comes again, and which turn it is', async () => {
    const { kibble, clock } = desk.server;
    const every = { ms: HOUR_MS, times: 9 };
    const dueAtMs = clock.nowMs();
    await kibble.timers.schedule([{ kind: 'order', subject: 'hourly', owner: 'hourly-shop', dueAtMs, every }]);
    await kibble.runDue();
    const { page } = await desk.come('#/timers?owner=hourly-shop', {}, 'viewer');
    const row = page.locator('.table tbody tr', { hasText: 'hourly-shop' });
    await row.getByText('1 h, ×9 · Turn 2').waitFor();
    await shot(page, 'ops-recurring');
  });

  it('has the state of its address, and leaves another that was chosen when the language changes', async () => {
    const { page } = await desk.come('#/timers?state=completed', {}, 'viewer');
    const state = page.locator('.filter [name="state"]');
    await state.waitFor();
    expect(await state.inputValue()).toBe('completed');
    await state.selectOption('dead');
    await page.locator('.header select').selectOption('zh');
    await page.getByRole('link', { name: '概览' }).waitFor();
    expect(await state.inputValue()).toBe('dead');
  });
});

describe.skipIf(!program)('the audit', { timeout: 90_000 }, () => {
  it('shows by itself an act that came after it', async () => {
    const { page } = await desk.come('#/jobs', {}, 'viewer');
    await page.locator('.header').waitFor();
    await page.clock.install();
    await goTo(page, '#/audit');
    await page.locator('[data-audit], .empty').first().waitFor();
    await desk.server.ask('pauseKind', { kind: 'order' }, why({ reason: 'a pause seen by others' }));
    await desk.server.ask('resumeKind', { kind: 'order' }, why());
    await page.clock.runFor(10_000);
    await page.locator('[data-audit]', { hasText: 'a pause seen by others' }).waitFor();
  });
});

describe.skipIf(!program)('the overview', { timeout: 90_000 }, () => {
  it('marks its figures while the next ones do not come', async () => {
    const { page } = await desk.come('#/audit', {}, 'viewer');
    await page.locator('.header').waitFor();
    await page.clock.install();
    await goTo(page, '#/');
    await page.locator('.shards').waitFor();
    const mark = page.getByText('Not up to date');
    const { answer } = await heldAnswers(page, '**/ops/api/overview');
    expect(await mark.count()).toBe(0);
    await page.clock.runFor(6000);
    await mark.waitFor();
    answer();
    await mark.waitFor({ state: 'detached' });
  });
});

describe.skipIf(!program)('the lines of the overview', { timeout: 90_000 }, () => {
  it('end before the right edge if nothing has fired since', async () => {
    const { page } = await desk.come('#/audit', {}, 'viewer');
    await page.locator('.header').waitFor();
    await page.route('**/ops/api/overview', async (route) => {
      const response = await route.fetch();
      const { process, ...overview } = await response.json();
      const lateness = [50, 40].map((minutes) => ({
        fromMs: overview.nowMs - minutes * 60_000,
        fired: 1,
        p50Ms: 20,
        p99Ms: 90,
      }));
      await route.fulfill({ response, json: { ...overview, process: { ...process, lateness } } });
    });
    await goTo(page, '#/');
    await page.locator('.lines canvas').first().waitFor();
    await expect.poll(() => lineEnd(page)).toBeGreaterThan(0);
    expect(await lineEnd(page)).toBeLessThan(0.5);
    await shot(page, 'ops-still');
  });
});

describe.skipIf(!program)('a write', { timeout: 90_000 }, () => {
  it('is not sent without a reason', async () => {
    const { page, playerId, stock } = await playerPage();
    const sent: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()));
    await grantForm(page);
    for (const reason of ['', 'no', '      ']) {
      await page.locator('dialog [name="reason"]').fill(reason);
      await page.locator('dialog [type="submit"]').click();
      expect(await page.locator('dialog [name="reason"]:invalid').count()).toBe(1);
    }
    expect(sent).toEqual([]);
    expect(await stock()).toBe(0);
    expect((await desk.server.ask('audit', {}, { target: `player:${playerId}` })).body.entries).toEqual([]);
  });

  it('keeps what was filled in for who looks at it and goes back', async () => {
    const { page, stock } = await playerPage();
    await grantForm(page);
    await preview(page, 'too few before');
    await page.getByRole('button', { name: 'Change' }).click();
    expect(await page.locator('dialog [name="item"]').inputValue()).toBe('snack');
    expect(await page.locator('dialog [name="reason"]').inputValue()).toBe('too few before');
    await page.locator('dialog [name="count"]').fill('5');
    await preview(page, 'too few before');
    await confirm(page);
    expect(await stock()).toBe(5);
  });

  it('names no due time where it ends what was due', async () => {
    const playerId = `cyd-${++players}`;
    const { petId = '' } = await desk.server.play(playerId, { type: 'home:adopt', name: 'Rex', species: 'dog' });
    await desk.server.play(playerId, { type: 'home:feed', petId, food: 'dog-food' });
    const { page } = await desk.come(`#/players/${playerId}`, {}, 'support');
    await page.locator('[data-act="shift"]').click();
    await page.locator('dialog [name="count"]').fill('9');
    await page.locator('dialog [name="unit"]').selectOption('h');
    await page.locator('dialog [name="direction"]').selectOption('sooner');
    await preview(page, 'served by hand');
    expect(await page.locator('dialog .told').textContent()).not.toMatch(/19(69|70)/);
  });

  it('takes a name of an item with a space as it is typed', async () => {
    const { page } = await playerPage('support');
    await grantForm(page);
    await page.locator('dialog [name="item"]').fill('');
    await page.locator('dialog [name="item"]').pressSequentially('gold bar');
    const sent = page.waitForRequest('**/grant');
    await page.locator('dialog [name="reason"]').fill('a bar');
    await page.locator('dialog [type="submit"]').click();
    expect((await sent).postDataJSON()).toMatchObject({ items: { 'gold bar': 3 } });
  });

  it('adds up the counts of an item that stands in two rows, however large', async () => {
    const { page, stock } = await playerPage();
    await grantForm(page);
    await page.locator('dialog .add-item').click();
    await page.locator('dialog [name="item"]').nth(1).fill('snack');
    await page.locator('dialog [name="count"]').nth(1).fill('2000000000');
    await preview(page, 'for both letters');
    await confirm(page);
    expect(await stock()).toBe(2_000_000_003);
  });

  it('whose answer is lost is sent again under its id, and done once', async () => {
    const { page, stock } = await playerPage();
    await grantForm(page);
    await preview(page, 'lost on the way');
    await page.route('**/grant', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await page.locator('dialog [type="submit"]').click();
    await page.getByText('The outcome is not known').waitFor();
    expect(await page.getByText('Nothing has been done yet').count()).toBe(0);
    await expectAccessible(page);
    await shot(page, 'ops-unknown');
    expect(await stock()).toBe(3);
    await page.unroute('**/grant');
    expect(await confirm(page)).toMatch('lost on the way');
    await closeDialog(page);
    expect(await stock()).toBe(3);
    await page.locator('[data-item="snack"] b', { hasText: '3' }).waitFor();
  });

  it('is told until its dialog is closed, also where it has left nothing to do', async () => {
    const [timerId = ''] = await desk.schedule(1, HOUR_MS);
    const { page } = await desk.come('#/audit');
    await page.locator('.header').waitFor();
    await page.clock.install();
    await goTo(page, `#/timers/${timerId}`);
    await page.locator('[data-act="cancelTimer"]').waitFor();
    const { asked, answer } = await heldAnswers(page, '**/explain');
    await page.locator('[data-act="cancelTimer"]').click();
    await preview(page, 'ordered twice');
    await confirm(page);
    answer();
    await page.locator('.facts .mark', { hasText: 'cancelled' }).waitFor();
    await page.clock.runFor(12_000);
    expect(asked).toHaveLength(1);
    expect(await page.locator('dialog .audit-entry').count()).toBe(1);
    await closeDialog(page);
    expect(await page.locator('[data-act]').count()).toBe(0);
  });

  it('that the rules refuse says why, and changes nothing', async () => {
    const { page, stock } = await playerPage();
    await page.locator('[data-act="take"]').click();
    await page.locator('dialog [name="item"]').fill('snack');
    await page.locator('dialog [name="reason"]').fill('never had it');
    await page.locator('dialog [type="submit"]').click();
    const alert = page.locator('dialog [role="alert"]', { hasText: 'item/out-of-stock' });
    await alert.waitFor();
    expect(await alert.textContent()).toMatch(/item snack, have 0/);
    expect(await stock()).toBe(0);
  });

  it('is not done by a second Enter: the preview has the focus', async () => {
    const { page, stock } = await playerPage();
    await grantForm(page);
    await page.locator('dialog [name="reason"]').fill('a hasty one');
    await page.keyboard.press('Enter');
    await page.locator('dialog .told:focus').waitFor();
    await page.keyboard.press('Enter');
    expect(await page.locator('dialog .told').textContent()).toContain('Nothing has been done yet.');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('dialog .audit-entry').waitFor();
    expect(await stock()).toBe(3);
  });

  it('shows that a timer would be paused, and would go on; the focus is on the opposite act then', async () => {
    const [timerId = ''] = await desk.schedule(1, HOUR_MS);
    const { page } = await desk.come(`#/timers/${timerId}`);
    for (const [act, state, opposite] of [
      ['pauseTimer', 'paused', 'resumeTimer'],
      ['resumeTimer', 'scheduled', 'pauseTimer'],
    ] as const) {
      await page.locator(`[data-act="${act}"]`).click();
      await preview(page, 'a look at the price');
      await page.locator('dialog .told', { hasText: `State: ${state}` }).waitFor();
      await confirm(page);
      await closeDialog(page);
      await page.locator(`[data-act="${opposite}"]:focus`).waitFor();
    }
  });

  it('cancels a dead timer', async () => {
    const [timerId = ''] = await desk.kill(1);
    const { page } = await desk.come(`#/timers/${timerId}`);
    await page.locator('[data-act="cancelTimer"]').click();
    await preview(page, 'the order was refunded');
    await confirm(page);
    await closeDialog(page);
    expect((await desk.server.ask('timer', { timerId })).body.state).toBe('cancelled');
  });

  it('keeps its outcome on the page of a thing that it has stopped', async () => {
    const playerId = `cyd-${++players}`;
    const { petId } = await desk.feedDog(playerId);
    const { page } = await desk.come('#/audit', {}, 'support');
    await page.locator('.header').waitFor();
    await page.clock.install();
    await goTo(page, `#/players/${playerId}/things/pets/${encodeURIComponent(petId)}`);
    await page.locator('[data-act="stop"]').waitFor();
    const { answer } = await heldAnswers(page, '**/explain?**');
    await page.locator('[data-act="stop"]').click();
    await preview(page, 'on request');
    await confirm(page);
    const heard = page.waitForResponse('**/explain?**');
    answer();
    await heard;
    await page.locator('[data-act="stop"]').waitFor({ state: 'detached' });
    expect(await page.locator('dialog .audit-entry').count()).toBe(1);
  });

  it('to many shows the count first, and its progress then', async () => {
    await playerPage();
    const { page } = await desk.come('#/jobs');
    await page.locator('[data-act="createJob"]').click();
    await page.locator('dialog [name="item"]').fill('boost');
    await page.locator('dialog [name="module"]').selectOption('pets');
    await page.locator('dialog [name="where"]').fill('species = dog，name = Rex');
    await page.locator('dialog [name="playerIds"]').fill(`cyd-${players}, nobody-at-all`);
    await preview(page, 'compensation');
    await page.locator('dialog .told', { hasText: '1 player gets it' }).waitFor();
    // The first gift is in the audit before the page asks for its own entry.
    await page.route('**/ops/api/audit?**', async (route) => {
      await desk.server.kibble.ops.runJobs();
      await route.continue();
    });
    expect(await confirm(page)).toContain('create-job');
    await closeDialog(page);
    desk.server.clock.advance(await desk.server.kibble.ops.runJobs());
    await page.locator('[data-job="done"]').waitFor();
    await shot(page, 'ops-job');
  });

  it('to all dead timers of a group says how many first', async () => {
    await desk.kill(4);
    const { page } = await desk.come('#/failed');
    const count = Number(await page.locator('.group-count').textContent());
    await page.locator('[data-act="reviveDead"]').click();
    await preview(page, 'the shop is back');
    await page.locator('dialog .told', { hasText: `${count} timers are scheduled for now` }).waitFor();
    await confirm(page);
    await closeDialog(page);
    await page.locator('.empty').waitFor();
  });

  it('to dead timers without an error is listed and done without those that have one', async () => {
    const [timerId = ''] = await desk.kill(3);
    // A handler may throw an empty text. The others died later, so that they would be the first to be revived.
    const unnamed = "update kibble.timer set last_error = '', updated_at = updated_at - 1 where id = $1";
    await desk.server.pool.query(unnamed, [timerId]);
    const { page } = await desk.come('#/failed');
    await page.locator('.group', { hasText: 'no error noted' }).locator('.group-acts a').click();
    await page.locator('b[data-count="1"]').waitFor();
    await goTo(page, '#/failed');
    await page.locator('.group', { hasText: 'no error noted' }).locator('[data-act="reviveDead"]').click();
    await preview(page, 'looked at by hand');
    await confirm(page);
    await closeDialog(page);
    expect((await desk.server.ask('timer', { timerId })).body.state).toBe('scheduled');
  });
});

describe.skipIf(!program)('counts', { timeout: 90_000 }, () => {
  it('of tiles and bars equal the totals of the lists they lead to', async () => {
    await desk.kill(2);
    await desk.schedule(3, HOUR_MS / 3);
    await desk.schedule(2, 0);
    const { page } = await desk.come();
    const total = page.locator('b[data-count]');
    for (const tile of ['pending', 'overdue', 'dead']) {
      await goTo(page, '#/');
      const counted = await page.locator(`[data-tile="${tile}"]`).textContent();
      expect(Number(counted)).toBeGreaterThan(0);
      await page.locator(`[data-tile="${tile}"]`).click();
      await total.waitFor();
      expect([tile, await total.getAttribute('data-count')]).toEqual([tile, counted]);
    }
    await goTo(page, '#/');
    const bar = page.locator('.bars a').last();
    const inBar = await bar.getAttribute('data-count');
    await bar.focus();
    await page.keyboard.press('Enter');
    await total.waitFor();
    expect(await total.getAttribute('data-count')).toBe(inBar);
    // Filtered again with nothing changed it is the same list, to the millisecond.
    const before = page.url();
    await page.locator('.filter [type="submit"]').click();
    expect(page.url()).toBe(before);
  });

  it('keep their place in the second half of an hour that the clock repeats', async () => {
    const toMs = Date.parse('2026-10-25T01:30:00Z');
    const { page } = await desk.come(`#/timers?toMs=${toMs}`, { timezoneId: 'Europe/Paris' }, 'viewer');
    await page.locator('.filter').waitFor();
    await page.locator('.filter [name="kind"]').fill('order');
    await page.locator('.filter [type="submit"]').click();
    await page.waitForURL(/kind=order/);
    expect(page.url()).toContain(`toMs=${toMs}`);
  });

  it('leave the focus on the list when its next page is asked for', async () => {
    await desk.schedule(60, HOUR_MS);
    const { page } = await desk.come('#/timers', {}, 'viewer');
    await page.getByText('Next page').focus();
    await page.keyboard.press('Enter');
    await page.getByText('First page').waitFor();
    await page.locator('#content:focus').waitFor();
  });
});

describe.skipIf(!program)('an index that does not answer', { timeout: 90_000 }, () => {
  it('is not called one that is being filled', async () => {
    const { page } = await desk.come('#/audit');
    await page.locator('.header').waitFor();
    await page.route('**/ops/api/index', (route) =>
      route.fulfill({ json: { generation: 1, shards: 16, isWhole: false } }),
    );
    await goTo(page, '#/');
    await page.getByText('The index does not answer').waitFor();
    expect(await page.getByText('being filled').count()).toBe(0);
  });
});

describe.skipIf(!program)('a slow server', { timeout: 90_000 }, () => {
  it('is asked once at a time, and heard however long it takes', async () => {
    const { page } = await desk.come('#/audit');
    await page.locator('.header').waitFor();
    await page.clock.install();
    const asked: string[] = [];
    const { promise: isReady, resolve: answer } = Promise.withResolvers<void>();
    await page.route('**/ops/api/overview', async (route) => {
      asked.push(route.request().url());
      await isReady;
      await route.continue();
    });
    const first = page.waitForRequest('**/ops/api/overview');
    await goTo(page, '#/');
    await first;
    await page.locator('.bars').waitFor();
    for (let turn = 0; turn < 4; turn += 1) await page.clock.runFor(6000);
    expect(asked).toHaveLength(1);
    answer();
    await page.locator('[data-tile="pending"]').waitFor();
  });
});

describe.skipIf(!program)('the search', { timeout: 90_000 }, () => {
  it('says below its hits that there may be more', async () => {
    const adopt = { type: 'home:adopt', name: 'Rex', species: 'dog' };
    const ids = Array.from({ length: 51 }, (_, at) => `crowd-${at}`);
    await Promise.all(ids.map((playerId) => desk.server.play(playerId, adopt)));
    const { page } = await desk.come('#/search?q=crowd-');
    await page.locator('.hit-list').waitFor();
    expect(await page.locator('.hit-list [data-hit]').count()).toBe(50);
    expect(await page.locator('.hit-list').getByText('There may be more.').count()).toBe(1);
    await goTo(page, '#/search?q=crowd-1');
    await page.locator('[data-hit]').nth(11).waitFor({ state: 'detached' });
    expect(await page.locator('.hit-list').getByText('There may be more.').count()).toBe(0);
  });

  it('shows no hits over the page to which Enter has led', async () => {
    const { playerId } = await playerPage();
    const { page } = await desk.come('#/audit');
    await page.locator('.header').waitFor();
    await page.clock.install();
    await page.locator('input[type="search"]').fill(playerId);
    await page.keyboard.press('Enter');
    await page.locator('.hit-list').waitFor();
    // The pause after the last key, and time for an answer.
    await page.clock.runFor(1000);
    await page.evaluate((address) => fetch(address).then(({ status }) => status), `${desk.server.address}/ops/api/me`);
    expect(await page.locator('.hits').count()).toBe(0);
  });
});

describe.skipIf(!program)('signing in and out', { timeout: 90_000 }, () => {
  it.each([
    ['a wrong one', `${tokenOf('admin')}x`],
    ['one that no header can carry', `${tokenOf('admin')}…`],
  ])('shows no page without a token or with %s', async (_, token) => {
    const { page } = await desk.come('#/audit', {}, 'nobody');
    await page.locator('.sign-in [type="submit"]').click();
    expect(await page.locator('input[type="password"]:invalid').count()).toBe(1);
    await signIn(page, token);
    await page.locator('[role="alert"]', { hasText: 'not known here' }).waitFor();
    expect(await page.locator('.header').count()).toBe(0);
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  });

  it('forgets token and data on signing out, and going back shows nothing', async () => {
    const { page, playerId } = await playerPage();
    await goTo(page, '#/audit');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.locator('.sign-in').waitFor();
    await page.goBack();
    await page.locator('.sign-in').waitFor();
    expect(await page.getByText(playerId).count()).toBe(0);
    expect(await page.evaluate(() => [sessionStorage.length, localStorage.length])).toEqual([0, 0]);
  });
});

describe.skipIf(!program)('a late refusal', { timeout: 90_000 }, () => {
  it('of an earlier token does not end the session of the next operator', async () => {
    const { page } = await desk.come('#/audit');
    await page.locator('.header').waitFor();
    const { promise: isNext, resolve: answer } = Promise.withResolvers<void>();
    await page.route(
      '**/ops/api/jobs',
      async (route) => {
        await isNext;
        await route.fulfill({ status: 401, json: { code: 'auth/refused', message: '', params: {} } });
      },
      { times: 1 },
    );
    const asked = page.waitForRequest('**/ops/api/jobs');
    await goTo(page, '#/jobs');
    await asked;
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page, tokenOf('support'));
    await page.locator('.me-name', { hasText: 'the-support' }).waitFor();
    const refused = page.waitForResponse((response) => response.status() === 401);
    answer();
    await (await refused).finished();
    await goTo(page, '#/audit');
    await page.locator('h1', { hasText: 'Audit' }).waitFor({ state: 'attached' });
    expect(await page.locator('.me-name').textContent()).toMatch('the-support');
  });
});

describe.skipIf(!program)('what is not there', { timeout: 90_000 }, () => {
  it.each([
    ['#/players/nobody-here', 'No player with this id has a home.'],
    ['#/players/nobody-here/log', 'No player with this id has a home.'],
    ['#/timers/999999999', 'There is no timer with this id'],
    ['#/players/nobody/runs/pets/nobody~f1', 'The log has no such thing or run'],
    ['#/jobs/job-of-nobody', 'There is no such job.'],
    ['#/timers?toMs=tomorrow', 'Something is filled in wrongly.'],
  ])('%s is said in words, with a way to go on', async (hash, said) => {
    const { page } = await desk.come(hash);
    // The log of a player that is not there says it too.
    await page.locator('[role="alert"]', { hasText: said }).first().waitFor();
    await page.locator('[role="alert"] button').first().waitFor();
    await expectAccessible(page);
  });

  it('leaves log, timers and audit of a player whose home cannot be read', async () => {
    const playerId = `cyd-${++players}`;
    await desk.feedDog(playerId);
    await desk.server.ask('grant', { playerId }, why({ items: { snack: 1 } }));
    const { page } = await desk.come('#/audit');
    await page.locator('.header').waitFor();
    const fault = { code: 'module/missing', message: 'a newer release wrote it', params: { module: 'pets' } };
    await page.route(`**/ops/api/players/${playerId}`, (route) => route.fulfill({ status: 500, json: fault }));
    await goTo(page, `#/players/${playerId}`);
    await page.locator('[role="alert"]', { hasText: 'module/missing' }).waitFor();
    for (const [tab, sign] of [
      ['log', '[data-event="items-granted"]'],
      ['timers', '.table tbody tr'],
      ['audit', '[data-audit="grant"]'],
    ] as const) {
      await page.locator(`.tabs a[href$="/${tab}"]`).click();
      await page.locator(sign).first().waitFor();
    }
    await page.locator('[role="alert"]', { hasText: 'module/missing' }).waitFor();
    await expectAccessible(page);
  });
});

describe.skipIf(!program)('the language', { timeout: 90_000 }, () => {
  it('changes at once where one is, is remembered, and is the one of the playable page', async () => {
    const { page } = await playerPage();
    await page.locator('.header select').selectOption('zh');
    await page.locator('[data-act="grant"]', { hasText: '发放物品' }).waitFor();
    await speaks(page, 'zh-CN');
    await expect.poll(() => page.evaluate(() => localStorage.getItem('kibble.lang'))).toBe('zh');
    await page.reload();
    await page.getByRole('link', { name: '概览' }).waitFor();
    await page.locator('.header select').selectOption('en');
    await page.getByRole('link', { name: 'Overview' }).waitFor();
  });
});
