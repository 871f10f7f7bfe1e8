import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultCatalogue } from '../../shared/pets/catalogue.ts';
import { type HomeServer, startHomeServer } from '../support/game/home-server.ts';
import { requestText, sendRaw, statusOf } from '../support/machine/raw-http.ts';

let folder: string;
let server: HomeServer;

beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'kibble-built-'));
  const page = path.join(folder, 'page');
  mkdirSync(path.join(page, 'assets'), { recursive: true });
  writeFileSync(path.join(folder, 'secret.txt'), 'of the machine');
  writeFileSync(path.join(page, 'index.html'), '<!doctype html><title>Page</title>');
  writeFileSync(path.join(page, 'assets/index-abc.js'), 'console.log("many times");'.repeat(50));
  server = await startHomeServer({ page });
});

afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** As a browser asks that has it already; `fetch` would ask for a fresh one. */
const statusWith = (url: string, etag: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    get(url, { headers: { 'if-none-match': etag } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on('error', reject);
  });

describe('the page', () => {
  it('is served with a policy that lets no script run but its own, and asked for again each time', async () => {
    const response = await fetch(`${server.address}/`);
    expect(await response.text()).toMatch('<title>Page</title>');
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-cache');
    const policy = response.headers.get('content-security-policy');
    expect(policy).toMatch("script-src 'self';");
    expect(policy).toMatch("default-src 'none'");
    expect(policy).not.toMatch('unsafe');
  });

  it('is not sent again to who has it', async () => {
    const etag = (await fetch(`${server.address}/`)).headers.get('etag') ?? '';
    expect(await statusWith(`${server.address}/`, etag)).toBe(304);
  });

  it('has files that are kept for ever, and sent small', async () => {
    const response = await fetch(`${server.address}/assets/index-abc.js`);
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(response.headers.get('content-type')).toMatch('text/javascript');
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(await response.text()).toMatch('many times');
    const plain = await fetch(`${server.address}/assets/index-abc.js`, { headers: { 'accept-encoding': 'identity' } });
    expect(plain.headers.get('content-encoding')).toBeNull();
  });

  // As they stand: `fetch` resolves the dots before it asks.
  it.each([
    '/assets/',
    '/index.htm',
    '/../secret.txt',
    '/assets/../../secret.txt',
    '/assets/%2e%2e/%2e%2e/secret.txt',
    '/assets/..%2f..%2fsecret.txt',
  ])('has nothing else: %s', async (asked) => {
    const answer = await sendRaw(server.address, requestText(`GET ${asked}`));
    expect(statusOf(answer)).toBe(404);
    expect(answer).not.toContain('of the machine');
  });
});

describe('the rules', () => {
  it('tell any client on any host what there is and what it does, and nothing of a player', async () => {
    const response = await fetch(`${server.address}/rules.json`);
    const { species, foods, cards, levels, limits } = defaultCatalogue;
    expect(await response.json()).toEqual({ species, foods, cards, levels, limits });
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
  });

  it('tell what works do at a path of its own: readers of the other take no more than they know', async () => {
    const response = await fetch(`${server.address}/works.json`);
    expect(await response.json()).toEqual({});
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
  });

  it('are not sent again to who has them', async () => {
    const etag = (await fetch(`${server.address}/rules.json`)).headers.get('etag') ?? '';
    expect(etag).toMatch(/^"/);
    expect(await statusWith(`${server.address}/rules.json`, etag)).toBe(304);
  });
});
