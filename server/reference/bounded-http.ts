import { createServer, type Server } from 'node:http';
import { limits } from '../settings/config.ts';

/** How often the time-outs of requests are checked. */
const CHECK_MS = 2_000;

/** An HTTP server with bounds: a client cannot hold a connection with a header a second, or use all connections. */
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

/** The address of a listening server on this machine. */
export const addressOf = (http: Server, host: string | undefined): string => {
  const bound = http.address();
  const port = typeof bound === 'object' && bound ? bound.port : 0;
  const name = host === undefined || host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
};
