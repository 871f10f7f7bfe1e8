import type { Home } from '../../../shared/home.ts';
import { randomFrom } from '../../../shared/random-from.ts';
import type { HomeChange, HomeStore } from '../../home/model/home-store.ts';

/** A draw from 0 to below 1; the same seed gives the same players. */
export type Draw = () => number;

/** Makes a player's past, up to `nowMs`, that the rules of a module would have allowed. */
export type History = (past: { readonly home: Home; readonly nowMs: number; readonly draw: Draw }) => HomeChange;

export interface SeedOptions {
  readonly store: Pick<HomeStore, 'change'>;
  readonly players: number;
  /** Prefix of the ids: `<prefix>-000001` and so on. Existing players stay unchanged. */
  readonly prefix: string;
  readonly seed: number;
  readonly history: History;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number) => void;
}

export interface Seeded {
  readonly players: number;
  readonly events: number;
}

const BATCH = 100;
const WRITERS = 3;

/** Makes players with a past, a hundred per transaction. A repeated run goes on where the last one stopped. */
export const seed = async (options: SeedOptions): Promise<Seeded> => {
  const { store, players, prefix, history, signal, onProgress } = options;
  let [from, done, made, events] = [1, 0, 0, 0];
  const write = async (): Promise<void> => {
    while (!signal.aborted && from <= players) {
      const first = from;
      from += BATCH;
      const ids = Array.from({ length: Math.min(BATCH, players - first + 1) }, (_, at) => idOf(prefix, first + at));
      const request = { playerIds: ids, commands: [], waits: true };
      const { value } = await store.change(request, ({ homes, nowMs }) => {
        const fresh = [...homes.values()].filter(({ seq }) => seq === 0);
        const changes = fresh.map((home) => {
          const draw = randomFrom(options.seed + Number(home.playerId.slice(home.playerId.lastIndexOf('-') + 1)));
          return history({ home, nowMs, draw });
        });
        return { changes, value: changes.map(({ events }) => events.length) };
      });
      made += value.length;
      events += value.reduce((sum, count) => sum + count, 0);
      done += ids.length;
      onProgress(done);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
  return { players: made, events };
};

const idOf = (prefix: string, number: number): string => `${prefix}-${String(number).padStart(7, '0')}`;
