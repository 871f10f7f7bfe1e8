import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { buildPage } from '../../build/build-page.ts';
import { village } from '../../examples/village.ts';
import { pets } from '../../server/kibble.ts';
import { NotRetryable } from '../../server/timer/fire/not-retryable.ts';
import type { AnyModule } from '../../shared/module/module.ts';
import type { OpsRole } from '../../shared/ops/act.ts';
import { HOUR_MS, type OpsServer, startOpsServer, tokenOf } from '../support/game/ops-server.ts';
import { launchChromium } from '../support/machine/chromium.ts';
import { type Visit, visit } from './support.ts';

const root = path.resolve(import.meta.dirname, '../..');
const SIGN_IN = '.sign-in input[type="password"]';

export interface Desk {
  readonly server: OpsServer;
  /** Opens the page in a new browser. It signs in as this role; with `nobody` it does not sign in. */
  come(hash?: string, options?: Parameters<typeof visit>[2], role?: OpsRole | 'nobody'): Promise<Visit>;
  /** A player with a dog that eats, after a cut and a boost. */
  feedDog(playerId: string): Promise<{ readonly petId: string; readonly feedingId: string }>;
  /** Three sites in work or in the queue, one of them hurried by a flag. */
  buildSites(playerId: string): Promise<void>;
  /** Timers of the game's own kind `order`, due in so many milliseconds. */
  schedule(count: number, inMs: number): Promise<readonly string[]>;
  /** Orders that no longer exist: their timers are dead at once. */
  kill(count: number): Promise<readonly string[]>;
  /** Ends all visits. */
  leave(): Promise<void>;
  close(): Promise<void>;
}

/** A game with its own timers and a clock that stands still, its operators' page, and a real browser. */
export const openDesk = async (
  program: string,
  postgresUrl: string,
  modules: readonly AnyModule[] = [pets(), village],
): Promise<Desk> => {
  await buildPage('ops');
  let isBroken = false;
  let subjects = 0;
  const visits: Visit[] = [];
  const order = {
    kind: 'order',
    fire: async () => {
      if (isBroken) throw new NotRetryable('no such order');
      return undefined;
    },
  };
  const page = path.join(root, 'ops/dist');
  const [server, browser]: [OpsServer, Browser] = await Promise.all([
    startOpsServer(postgresUrl, { kinds: [order], page, modules }),
    launchChromium(program),
  ]);
  const schedule = async (count: number, inMs: number): Promise<readonly string[]> => {
    const wanted = Array.from({ length: count }, (_, at) => ({
      kind: 'order',
      subject: `order-${++subjects}`,
      owner: `shop-${subjects % 7}`,
      dueAtMs: server.clock.nowMs() + inMs + at,
    }));
    const outcomes = await server.kibble.timers.schedule(wanted);
    return outcomes.map((outcome) => ('timer' in outcome ? outcome.timer.id : ''));
  };
  return {
    server,
    come: async (hash = '', options = {}, role = 'admin') => {
      const visited = await visit(browser, `${server.address}/ops/${hash}`, options);
      visited.page.setDefaultTimeout(30_000);
      visits.push(visited);
      if (role !== 'nobody') await signIn(visited.page, tokenOf(role));
      return visited;
    },
    feedDog: async (playerId) => {
      const adopted = await server.play(playerId, { type: 'home:adopt', name: 'Rex', species: 'dog' });
      const petId = adopted.petId ?? '';
      const fed = await server.play(playerId, { type: 'home:feed', petId, food: 'dog-food' });
      await server.play(playerId, { type: 'home:use-card', petId, card: 'boost' });
      server.clock.advance(HOUR_MS / 12);
      await server.play(playerId, { type: 'home:use-card', petId, card: 'speed-up' });
      await server.play(playerId, { type: 'home:use-card', petId, card: 'auto-feed' });
      return { petId, feedingId: fed.feedingId ?? '' };
    },
    buildSites: async (playerId) => {
      const items = { wood: 300, flag: 1 };
      await server.play(playerId, { type: 'home:grant', items, reason: 'gift' });
      for (const site of ['hall', 'mill', 'barn']) await server.play(playerId, { type: 'village:upgrade', site });
      await server.play(playerId, { type: 'village:use-card', site: 'hall', card: 'flag' });
    },
    schedule,
    kill: async (count) => {
      isBroken = true;
      const timerIds = await schedule(count, 0);
      server.clock.advance(1000);
      await server.kibble.runDue();
      isBroken = false;
      return timerIds;
    },
    leave: async () => {
      for (const { context } of visits.splice(0)) await context.close();
    },
    close: async () => {
      await browser.close();
      await server.close();
    },
  };
};

export const signIn = async (page: Page, token: string): Promise<void> => {
  await page.locator(SIGN_IN).fill(token);
  await page.locator('.sign-in [type="submit"]').click();
};

/** Another place of the page, as if its link had been pressed. */
export const goTo = (page: Page, hash: string): Promise<void> =>
  page.evaluate((to) => {
    location.hash = to;
  }, hash);

/** Fills in the reason and looks at what would happen. */
export const preview = async (page: Page, reason: string): Promise<void> => {
  await page.locator('dialog [name="reason"]').fill(reason);
  await page.locator('dialog [type="submit"]').click();
  await page.locator('dialog .told').waitFor();
};

/** Goes on from the preview, and answers what the audit says. */
export const confirm = async (page: Page): Promise<string> => {
  await page.locator('dialog [type="submit"]').click();
  await page.locator('dialog .audit-entry').waitFor();
  return (await page.locator('dialog .audit-entry').textContent()) ?? '';
};

export const closeDialog = async (page: Page): Promise<void> => {
  await page.locator('dialog .dialog-actions .button-main').click();
  await page.locator('dialog').waitFor({ state: 'detached' });
};
