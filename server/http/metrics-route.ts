import type { Application } from 'express';
import { type OperatorGateOptions, operatorGate } from './operator-gate.ts';

/** The source of a scrape: a registry of `@prometheus-io/client`. */
export interface Scraped {
  readonly contentType: string;
  metrics(): Promise<string>;
}

export interface MetricsOptions extends OperatorGateOptions {
  readonly metrics: Scraped;
}

/** The metrics, for operators of any role. */
export const addMetrics = (app: Application, { metrics, ...gate }: MetricsOptions): void => {
  const admit = operatorGate(gate);
  app.get('/metrics', async (request, response) => {
    const operator = await admit(request);
    if (operator && 'retryAfterMs' in operator) {
      const seconds = String(Math.ceil(operator.retryAfterMs / 1_000));
      response.status(429).set('retry-after', seconds).json({ error: 'rate/limited' });
      return;
    }
    if (operator === undefined) {
      response.status(401).set('www-authenticate', 'Bearer').json({ error: 'auth/refused' });
      return;
    }
    response
      .type(metrics.contentType)
      .set('cache-control', 'no-store')
      .send(await metrics.metrics());
  });
};
