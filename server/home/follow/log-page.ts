import type { HomeEvent } from '../../../shared/event.ts';

export interface LogPage {
  readonly events: readonly HomeEvent[];
  /** There are more after the last one. */
  readonly truncated?: boolean;
}

/** As many of the events as fit: at most `limit` and `maxBytes` of JSON, but at least one. */
export const pageOf = (events: readonly HomeEvent[], limit: number, maxBytes = Number.POSITIVE_INFINITY): LogPage => {
  const page: HomeEvent[] = [];
  let bytes = 0;
  for (const event of events) {
    bytes += Buffer.byteLength(JSON.stringify(event));
    if (page.length >= limit || (page.length > 0 && bytes > maxBytes)) return { events: page, truncated: true };
    page.push(event);
  }
  return { events: page };
};
