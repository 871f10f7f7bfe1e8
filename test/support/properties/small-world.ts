import { catalogueArbitrary, historyArbitrary } from '../../../testing/arbitraries.ts';
import type { World } from '../../../testing/law.ts';
import { REST_MS } from '../../../testing/play.ts';

/** Rules with numbers so small that boundaries, ties and shortages are everyday. */
export const smallWorld: World = {
  catalogue: catalogueArbitrary,
  laterCatalogue: catalogueArbitrary,
  history: historyArbitrary,
  unitMs: 1,
  restMs: REST_MS,
};
