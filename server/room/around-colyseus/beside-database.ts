import type { ServerOptions } from '@colyseus/core';
import { callGame } from '../../../shared/game-code.ts';
import { drainWithServer } from './drain-with-server.ts';

/** The `database` option of `defineServer`, as `@colyseus/database` implements it. */
export type ServerDatabase = NonNullable<ServerOptions['database']>;

/**
 * For `defineServer({ database })`, which boots it. If Kibble boots while a Colyseus server exists, in any way, it is
 * drained with that server. Without Colyseus call both methods yourself.
 */
export interface KibbleLifecycle {
  /** Replaces an earlier Kibble of this process on the database, as after a hot reload. Throws the fault. */
  boot(): Promise<void>;
  /** Finishes all accepted work, for good: to go on, make another Kibble. */
  shutdown(): Promise<void>;
  /**
   * For `defineServer({ database })` of a game that already has a database there: boots it, then Kibble, and shuts down
   * in the reverse order. If one fails to boot, neither runs. The database's routes stay.
   */
  beside(database: ServerDatabase): ServerDatabase & { shutdown(): Promise<void> };
}

interface Options {
  readonly kibble: Pick<KibbleLifecycle, 'boot' | 'shutdown'>;
  /** The game's own database. */
  readonly database: ServerDatabase;
  readonly onFault: (message: string, error: unknown) => void;
}

/** @colyseus/core 0.18.17 accepts one database: this joins the game's and Kibble. Kibble boots second and ends first. */
export const besideDatabase = ({ kibble, database, onFault }: Options): ReturnType<KibbleLifecycle['beside']> => {
  const close = () => callGame('shutdown of the database', () => database.shutdown?.());
  let ending: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    await kibble.shutdown();
    await close();
  };
  const both = {
    boot: async (): Promise<void> => {
      // Undoes a boot that failed in part.
      const undo = (error: unknown): void => onFault('a database whose boot is undone did not shut down', error);
      try {
        await callGame('boot of the database', () => database.boot());
        await kibble.boot();
      } catch (error) {
        await close().catch(undo);
        throw error;
      }
      drainWithServer(both);
    },
    shutdown: (): Promise<void> => {
      ending ??= end();
      return ending;
    },
  };
  if (!database.applyRouterDefaults) return both;
  const applyRouterDefaults: NonNullable<ServerDatabase['applyRouterDefaults']> = async (router) => {
    try {
      return await callGame(
        'applyRouterDefaults of the database',
        () => database.applyRouterDefaults?.(router) ?? router,
      );
    } catch (error) {
      // The server does not listen then, and nothing else would shut down what has booted.
      await both.shutdown().catch((fault) => onFault('a database whose boot is undone did not shut down', fault));
      throw error;
    }
  };
  return { ...both, applyRouterDefaults };
};
