import type { Redis } from 'ioredis';
import type { Fires } from '../measure/timer-system.ts';

type Streams = [key: string, entries: [id: string, fields: string[]][]][] | null;

interface Options {
  readonly reader: Redis;
  readonly acker: Redis;
  readonly streams: readonly string[];
  readonly fires: Fires;
  readonly idOf: (timer: string) => number;
}

const READ_LIMIT = 500;
const BLOCK_MS = 200;

/** Hands what comes out of the streams to `fires`, and acknowledges it when its effect is durable. Resolves at once. */
export const readStreams = async ({ reader, acker, streams, fires, idOf }: Options): Promise<void> => {
  for (const key of streams) await acker.xgroup('CREATE', key, 'group', '0', 'MKSTREAM');
  const handle = async (key: string, entries: [id: string, fields: string[]][]): Promise<void> => {
    await fires.handle(entries.map(([, [, timer = '']]) => idOf(timer)));
    const entryIds = entries.map(([entryId]) => entryId);
    await Promise.all([acker.xack(key, 'group', ...entryIds), acker.xdel(key, ...entryIds)]);
  };
  const read = async (): Promise<never> => {
    for (;;) {
      const found = await reader.xreadgroup(
        ...(['GROUP', 'group', 'bench', 'COUNT', READ_LIMIT, 'BLOCK', BLOCK_MS, 'STREAMS'] as const),
        ...streams,
        ...streams.map(() => '>'),
      );
      for (const [key, entries] of (found as Streams) ?? []) void handle(key, entries);
    }
  };
  void read();
};
