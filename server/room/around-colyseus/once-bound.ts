import type { Server as HttpServer } from 'node:http';
import type { Server, Transport } from '@colyseus/core';

/** Of @colyseus/core 0.18.17. */
interface Inside {
  readonly _onTransportReady: PromiseLike<Transport>;
}

/**
 * Calls `then` with the HTTP server of a Colyseus server as soon as it listens. By then Colyseus' own listeners to requests
 * are there: it adds them in the callback that it gives to the transport.
 */
export const onceBound = (server: Server, then: (http: HttpServer) => void): void => {
  (server as unknown as Inside)._onTransportReady.then((transport) => {
    const http = transport.server as HttpServer | undefined;
    if (!http || http.listening) return http && then(http);
    const listen = transport.listen.bind(transport);
    transport.listen = (port, hostname, backlog, listener) =>
      listen(port, hostname, backlog, (error?: Error) => {
        listener?.(error);
        if (!error) then(http);
      });
  });
};
