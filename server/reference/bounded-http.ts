import { createServer, type Server } from 'node:http';
import { limits } from '../settings/config.ts';

/** How often the time-outs of requests are looked at. */
const CHECK_MS = 2_000;

/** An HTTP server on which nobody holds a connection with a header a second, or all connections that there are. */
export const boundedHttp = (handle?: Parameters<typeof createServer>[1]): Server => {
  const { headerBytes, headersMs, requestMs, connections } = limits.http;
  const http = createServer({
    maxHeaderSize: headerBytes,
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: CHECK_MS,
  });
  http.maxConnections = connections;
  if (handle) http.on('request', handle);
  return http;
};

/** Where a server that listens can be reached from this machine. */
export const addressOf = (http: Server, host: string | undefined): string => {
  const bound = http.address();
  const port = typeof bound === 'object' && bound ? bound.port : 0;
  const name = host === undefined || host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
};
