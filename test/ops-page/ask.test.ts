import { afterEach, expect, it, vi } from 'vitest';
import { AskFault, ask } from '../../ops/session/ask.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it('does not wait for ever for a server that does not answer: the outcome is unknown', async () => {
  const patience = new AbortController();
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(patience.signal);
  // As a browser's: it ends only by its signal.
  vi.stubGlobal(
    'fetch',
    (_path: string, { signal }: RequestInit) =>
      new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
  );
  const asked = ask('a-token', 'grant', { playerId: 'ann' }, { items: { snack: 1 }, reason: 'gift', commandId: 'c1' });
  patience.abort();

  const fault = await asked.catch((error: unknown) => error);
  expect(fault).toBeInstanceOf(AskFault);
  expect(fault).toMatchObject({ code: 'page/offline', isOutcomeUnknown: true });
  // A job may take two minutes.
  expect(timeout.mock.calls[0]?.[0]).toBeGreaterThan(120_000);
});

it.each([
  ['the gate', 403, '{"error":"origin/refused"}', 'origin/refused'],
  ['a proxy', 502, '<html>', 'page/no-kibble'],
])('names a refusal by %s', async (_who, status, body, code) => {
  vi.stubGlobal('fetch', async () => new Response(body, { status }));
  const fault = await ask('a-token', 'me').catch((error: unknown) => error);
  expect(fault).toMatchObject({ code, status: 500 });
});
