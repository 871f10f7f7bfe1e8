import type { Server as HttpServer } from 'node:http';
import { Server, type Transport } from '@colyseus/core';

interface Lifecycle {
  shutdown(): Promise<void>;
}

/** Fields of @colyseus/core 0.18.17. */
interface Inside {
  /** The callback that a shutdown calls last: the last one set by `onShutdown`. */
  readonly onShutdownCallback: () => unknown;
  readonly _onTransportReady: PromiseLike<Transport>;
}

type OnListening = (http: HttpServer) => void;

const drained = new WeakMap<Server, Set<Lifecycle>>();
/** HTTP servers that `onListening` got. One may outlive several Colyseus servers, as with `colyseus/vite`. */
const known = new WeakSet<HttpServer>();

/**
 * Makes this process's Colyseus server, if any, shut down `lifecycle` too: after its rooms are gone, before the game's
 * own `onShutdown` callback, which may end the pool. Colyseus leaves the end of its `database` to that callback. It is
 * read when the shutdown begins, so a game may set its own at any time. `onListening`, of a server's first lifecycle,
 * gets the HTTP server as soon as it listens.
 */
export const drainWithServer = (lifecycle: Lifecycle, onListening: OnListening = () => undefined): void => {
  const server = Server.current;
  if (!server) return;
  const all = drained.get(server) ?? drainedWith(server, onListening);
  all.add(lifecycle);
};

const drainedWith = (server: Server, onListening: OnListening): Set<Lifecycle> => {
  const all = new Set<Lifecycle>();
  drained.set(server, all);
  const end = async (): Promise<void> => {
    const ended = await Promise.allSettled([...all].map((one) => one.shutdown()));
    for (const one of ended) if (one.status === 'rejected') throw one.reason;
  };
  (server as unknown as Inside)._onTransportReady.then(
    (transport) => {
      endIfNotListening(transport, end);
      const http = transport.server as HttpServer | undefined;
      if (!http || known.has(http)) return;
      known.add(http);
      if (http.listening) onListening(http);
      // Later than Colyseus, which adds its own request listeners on the same event.
      else http.once('listening', () => queueMicrotask(() => onListening(http)));
    },
    // There is no transport: `listen()` reports that.
    () => undefined,
  );
  const shutDown = server.gracefullyShutdown.bind(server);
  let isBegun = false;
  server.gracefullyShutdown = (exit, error) => {
    if (!isBegun) {
      const { onShutdownCallback: own } = server as unknown as Inside;
      server.onShutdown(async () => {
        try {
          await end();
        } finally {
          await own();
        }
      });
    }
    isBegun = true;
    return shutDown(exit, error);
  };
  return all;
};

/**
 * If the port is taken, the server never tells `listen()`, which would wait forever, while the process lives on as a
 * worker. Here everything is shut down, then `listen()` rejects.
 */
const endIfNotListening = (transport: Transport, end: () => Promise<void>): void => {
  const listen = transport.listen.bind(transport);
  transport.listen = (port, hostname, backlog, listener) => {
    const { server: http } = transport;
    const failed = (error: Error): void => {
      const report = (): void => listener?.(error);
      void end().then(report, report);
    };
    http?.once('error', failed).once('listening', () => http.off('error', failed));
    return listen(port, hostname, backlog, listener);
  };
};
