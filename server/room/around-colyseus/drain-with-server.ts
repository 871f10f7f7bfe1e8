import { Server } from '@colyseus/core';

interface Lifecycle {
  shutdown(): Promise<void>;
}

/** What @colyseus/core 0.18.17 calls last when it shuts down: one callback, whichever was set last by `onShutdown`. */
interface Callback {
  readonly onShutdownCallback: () => unknown;
}

/**
 * Makes the Colyseus server that boots `lifecycle` (`database`) shut it down as well: after its rooms are gone, before the
 * game's own `onShutdown` callback, which may end the pool. Colyseus boots a database and leaves its end to that one
 * callback; so the callback is looked at when the shutdown begins, and a game may set its own at any time.
 */
export const drainWithServer = (lifecycle: Lifecycle): void => {
  const server = Server.current;
  if (!server || (server.options.database as unknown) !== lifecycle) return;
  const shutDown = server.gracefullyShutdown.bind(server);
  let isBegun = false;
  server.gracefullyShutdown = (exit, error) => {
    if (!isBegun) {
      const { onShutdownCallback: own } = server as unknown as Callback;
      server.onShutdown(async () => {
        try {
          await lifecycle.shutdown();
        } finally {
          await own();
        }
      });
    }
    isBegun = true;
    return shutDown(exit, error);
  };
};
