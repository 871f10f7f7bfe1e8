import assert from 'node:assert';
import { prepareServices } from '@colyseus/core/internal';
import { setTransport } from '@colyseus/core/Transport';
import { WebSocketTransport } from '@colyseus/ws-transport';
import { defineServer, matchMaker, type Server, setDevMode } from 'colyseus';
import type { TimerKind } from 'colyseus-kibble';
import { ownKibble } from './own-kibble.js';

const LOAVES = Array.from({ length: 100 }, (_, at) => `loaf-${at}`);
const BEFORE = 20;

describe('a hot reload', () => {
  before(() => {
    // Colyseus' listener, from the server of another test, ends the process in this mode: with code 0, and unsaid.
    for (const listener of process.listeners('uncaughtException'))
      if (`${listener}`.includes('debugAndPrintError')) process.off('uncaughtException', listener);
  });
  after(() => setDevMode(false));

  it('hands over to the new Kibble before the old one is shut down, and each timer fires once', async () => {
    const fired: { readonly subject: string; readonly by: string }[] = [];
    const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const kindOf = (by: string): TimerKind => ({
      kind: 'bread',
      fire: async (timers) => {
        fired.push(...timers.map(({ subject }) => ({ subject, by })));
        if (fired.length >= BEFORE) begun.resolve();
        if (fired.length >= LOAVES.length) ended.resolve();
        return undefined;
      },
    });
    let server: Server | undefined;
    // As colyseus/vite does: no server listens.
    const load = async (by: string) => {
      const previous = server?.options.database;
      const kibble = ownKibble('hand_over', { kinds: [kindOf(by)] });
      server = defineServer({ rooms: {}, database: kibble.lifecycle });
      await prepareServices(server, previous === undefined);
      await (previous ? matchMaker.hotReload() : matchMaker.accept());
      await previous?.shutdown();
      return kibble;
    };
    setDevMode(true);
    await matchMaker.setup();
    setTransport(new WebSocketTransport({ noServer: true }));

    const first = await load('first');
    const breads = LOAVES.map((subject, at) => ({ kind: 'bread', subject, owner: 'ann', inMs: 20 * at }));
    await first.timers.schedule(breads);
    await begun.promise;
    const second = await load('second');
    const firedBefore = fired.length;
    assert.deepStrictEqual([first.health.degraded(), second.health.degraded()], [undefined, []]);
    await assert.rejects(first.timers.schedule([]), { code: 'database/in-use' });

    await ended.promise;
    assert.deepStrictEqual(fired.map(({ subject }) => subject).sort(), [...LOAVES].sort());
    assert.deepStrictEqual(
      fired.slice(firedBefore).filter(({ by }) => by === 'first'),
      [],
    );
    assert.strictEqual(fired.at(-1)?.by, 'second');
    // In this mode the server's end writes a file.
    setDevMode(false);
    await server?.gracefullyShutdown(false);
    assert.strictEqual(second.health.degraded(), undefined);
  });
});
