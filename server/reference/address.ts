import type { Server } from 'node:http';

/** Where a server that listens can be reached from this machine. */
export const addressOf = (http: Server, host: string | undefined): string => {
  const bound = http.address();
  const port = typeof bound === 'object' && bound ? bound.port : 0;
  const name = host === undefined || host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
};
