import type { Server as HttpServer } from 'node:http';
import { Server, type Transport } from '@colyseus/core';

interface Lifecycle {
  shutdown(): Promise<void>;
}

/** Of @colyseus/core 0.18.17. */
interface Inside {
  /** What it calls last when it shuts down: one callback, whichever was set last by `onShutdown`. */
  readonly onShutdownCallback: () => unknown;
  readonly _onTransportReady: PromiseLike<Transport>;
}

/**
 * Makes the Colyseus server that boots `lifecycle` (`database`) shut it down as well: after its rooms are gone, before the
 * game's own `onShutdown` callback, which may end the pool. Colyseus boots a database and leaves its end to that one
 * callback; so the callback is looked at when the shutdown begins, and a game may set its own at any time.
 */
export const drainWithServer = (lifecycle: Lifecycle, onListening: (http: HttpServer) => void): void => {
  const server = Server.current;
  if (!server || (server.options.database as unknown) !== lifecycle) return;
  (server as unknown as Inside)._onTransportReady.then((transport) => {
    endWhereNobodyListens(transport, lifecycle);
    const http = transport.server as HttpServer | undefined;
    // Colyseus adds its own listeners to requests when it hears of the same event.
    http?.once('listening', () => queueMicrotask(() => onListening(http)));
  });
  const shutDown = server.gracefullyShutdown.bind(server);
  let isBegun = false;
  server.gracefullyShutdown = (exit, error) => {
    if (!isBegun) {
      const { onShutdownCallback: own } = server as unknown as Inside;
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

/**
 * A server whose port is taken never says so to `listen()`: it would wait for ever, and the process would live on as a
 * worker. Here the lifecycle ends, then `listen()` rejects.
 */
const endWhereNobodyListens = (transport: Transport, lifecycle: Lifecycle): void => {
  const listen = transport.listen.bind(transport);
  transport.listen = (port, hostname, backlog, listener) => {
    const { server: http } = transport;
    const failed = (error: Error): void => void lifecycle.shutdown().finally(() => listener?.(error));
    http?.once('error', failed).once('listening', () => http.off('error', failed));
    return listen(port, hostname, backlog, listener);
  };
};
