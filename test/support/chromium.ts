import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Where distributions and vendors put it. */
const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];
const installTimeoutMs = 180_000;

/** It needs no network of its own, and no display. */
const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * A real browser's program: found, or installed once where we are root on Debian or Ubuntu. Undefined with a line on
 * stderr saying how to get one: tests that need it are skipped then.
 */
export const chromiumProgram = (): string | undefined => {
  const found = places.find((place) => existsSync(place)) ?? install();
  if (found === undefined) {
    process.stderr.write(
      'No Chromium for the tests in a browser, which are skipped: apt install chromium, or install Google Chrome.\n',
    );
  }
  return found;
};

const install = (): string | undefined => {
  if (process.getuid?.() !== 0) return undefined;
  const apt = (...args: string[]) =>
    spawnSync('apt-get', args, { stdio: 'ignore', timeout: installTimeoutMs, env: { ...process.env, ...silent } });
  if (apt('update', '-q').status !== 0) return undefined;
  apt('install', '-y', '-q', '--no-install-recommends', 'chromium');
  return places.find((place) => existsSync(place));
};

const silent = { DEBIAN_FRONTEND: 'noninteractive' };

export const launchChromium = (program: string): Promise<Browser> =>
  chromium.launch({ executablePath: program, args: flags });
