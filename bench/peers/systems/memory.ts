import type { Fires, Item, OpenSystem, Outcome } from '../measure/timer-system.ts';

interface Waiting {
  readonly dueAtMs: number;
  readonly timeout: NodeJS.Timeout;
}

/** A room's own way: `setTimeout`. One process, and no timer survives it. */
export const open: OpenSystem = async () => {
  const waiting = new Map<number, Waiting>();
  let fires: Fires | undefined;
  const put = ({ id, dueAtMs }: Item): void => {
    const fire = (): void => {
      waiting.delete(id);
      void fires?.handle([id]);
    };
    waiting.set(id, { dueAtMs, timeout: setTimeout(fire, dueAtMs - Date.now()) });
  };
  const change = (id: number, work: (present: Waiting) => void): Outcome => {
    const present = waiting.get(id);
    if (present === undefined) return 'too-late';
    clearTimeout(present.timeout);
    work(present);
    return 'applied';
  };

  return {
    settings: 'a Map of setTimeout; not durable, one process',
    schedule: async (item) => put(item),
    bulk: {
      limit: 1_000,
      schedule: async (items) => {
        for (const item of items) put(item);
      },
    },
    reschedule: async (id, dueAtMs) => change(id, () => put({ id, dueAtMs })),
    shift: async (id, byMs) => change(id, ({ dueAtMs }) => put({ id, dueAtMs: dueAtMs + byMs })),
    cancel: async (id) => change(id, () => waiting.delete(id)),
    start: async (own) => {
      fires = own;
    },
  };
};
