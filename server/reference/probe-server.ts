import { once } from 'node:events';
import express from 'express';
import { addMetrics, type MetricsOptions } from '../http/metrics-route.ts';
import { addressOf, boundedHttp } from './bounded-http.ts';
import { addProbes, type ProbedHealth } from './routes.ts';

export interface ProbeServerOptions extends MetricsOptions {
  /** 0: any free port. */
  readonly port: number;
  /** Undefined: all interfaces. */
  readonly host?: string | undefined;
  readonly health: ProbedHealth;
}

/** For a process without rooms: responds only to probes and scrapes. Throws the error of `listen`. */
export const startProbeServer = async ({ port, host, health, ...scraped }: ProbeServerOptions) => {
  const app = express();
  // No gate of ours wrote it.
  app.use((request, _response, next) => {
    delete request.headers['x-real-ip'];
    next();
  });
  addProbes(app, health);
  addMetrics(app, scraped);
  const http = boundedHttp(app);
  http.listen(port, host);
  // Rejects when the port is taken.
  await once(http, 'listening');
  return {
    address: addressOf(http, host),
    close: async (): Promise<void> => {
      const closed = once(http, 'close');
      http.close();
      http.closeAllConnections();
      await closed;
    },
  };
};
