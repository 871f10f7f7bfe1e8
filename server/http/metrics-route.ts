import type { Application } from 'express';
import type { OperatorOf } from './operator-auth.ts';

/** What is scraped: a registry of `@prometheus-io/client`. */
export interface Scraped {
  readonly contentType: string;
  metrics(): Promise<string>;
}

export interface MetricsOptions {
  readonly metrics: Scraped;
  readonly operatorOf: OperatorOf;
}

/** The metrics, for operators of any role. */
export const addMetrics = (app: Application, { metrics, operatorOf }: MetricsOptions): void => {
  app.get('/metrics', async (request, response) => {
    if (operatorOf(request.headers.authorization) === undefined) {
      response.status(401).set('www-authenticate', 'Bearer').json({ error: 'auth/refused' });
      return;
    }
    response
      .type(metrics.contentType)
      .set('cache-control', 'no-store')
      .send(await metrics.metrics());
  });
};
