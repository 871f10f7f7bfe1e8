import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { type Browser, chromium } from 'playwright-core';
import { addressOf } from '../../../server/reference/bounded-http.ts';

/** Debian's names: the engine without a window, which is quicker, and the whole browser, which every release has. */
const packages = ['chromium-headless-shell', 'chromium'] as const;

/** Where distributions and vendors put it. */
const places = [
  ...packages.map((name) => `/usr/bin/${name}`),
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
  // Else the processor plays a graphics card, at three times the work.
  '--disable-software-rasterizer',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * A real browser's program: found, or installed once where we are root on Debian or Ubuntu, which takes a minute or two.
 * Undefined with a line on stderr saying how to get one: tests that need it are skipped then.
 */
export const findOrInstallChromium = async (): Promise<string | undefined> => {
  const found = present() ?? (await install());
  if (found === undefined) {
    process.stderr.write(
      'No Chromium for the tests in a browser, which are skipped: apt install chromium, or install Google Chrome.\n',
    );
  }
  return found;
};

const present = (): string | undefined => places.find((place) => existsSync(place));

const install = async (): Promise<string | undefined> => {
  if (process.getuid?.() !== 0) return undefined;
  if (!(await apt('update', '-q'))) return undefined;
  for (const name of packages) {
    if (await apt('install', '-y', '-q', '--no-install-recommends', name)) break;
  }
  return present();
};

const apt = (...args: string[]): Promise<boolean> =>
  new Promise((resolve) => {
    const env = { ...process.env, ...silent };
    const child = spawn('apt-get', args, { stdio: 'ignore', timeout: installTimeoutMs, env });
    child.once('error', () => resolve(false));
    child.once('close', (code) => resolve(code === 0));
  });

const silent = { DEBIAN_FRONTEND: 'noninteractive' };

/**
 * Tells the test files of a run where the browser is, as soon as it is there: other tests run meanwhile, and no two
 * files install it. Begins to look at once when `isWanted`, else when it is asked.
 */
export const serveChromium = async (isWanted: boolean): Promise<{ url: string; stop(): void }> => {
  let program = isWanted ? findOrInstallChromium() : undefined;
  const server = createServer((_request, response) => {
    program ??= findOrInstallChromium();
    program.then((found) => response.end(found ?? ''));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: addressOf(server, '127.0.0.1'), stop: () => void server.close() };
};

/** Waits for the browser's program; `url` is what `serveChromium` is asked at. Undefined: there is none. */
export const chromiumProgram = async (url: string): Promise<string | undefined> => {
  const program = await (await fetch(url)).text();
  return program === '' ? undefined : program;
};

export const launchChromium = (program: string): Promise<Browser> =>
  chromium.launch({ executablePath: program, args: flags });
