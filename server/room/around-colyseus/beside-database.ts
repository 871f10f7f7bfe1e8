import type { ServerOptions } from '@colyseus/core';
import { callGame } from '../../../shared/game-code.ts';
import { drainWithServer } from './drain-with-server.ts';

/** What `defineServer({ database })` takes, as `@colyseus/database` is one. */
export type ServerDatabase = NonNullable<ServerOptions['database']>;

/**
 * For `defineServer({ database })`, which boots it. A Kibble that boots while there is a Colyseus server is drained with it,
 * in whatever way it was booted. Without Colyseus: call both yourself.
 */
export interface KibbleLifecycle {
  /** Takes over from a Kibble that this process had on the database before, as after a hot reload. Throws what is wrong. */
  boot(): Promise<void>;
  /** Finishes what was accepted. For good: another one has to be made after it. */
  shutdown(): Promise<void>;
  /**
   * For `defineServer({ database })` of a game that has a database there already: boots it, then Kibble, and shuts down in
   * the reverse order. If one of them fails to boot, the other does not run. Its routes stay.
   */
  beside(database: ServerDatabase): ServerDatabase & { shutdown(): Promise<void> };
}

interface Options {
  readonly kibble: Pick<KibbleLifecycle, 'boot' | 'shutdown'>;
  /** The game's own. */
  readonly database: ServerDatabase;
  readonly onFault: (message: string, error: unknown) => void;
}

/** @colyseus/core 0.18.17 takes one database: here the game's own and Kibble are one. Kibble boots after it and ends before it. */
export const besideDatabase = ({ kibble, database, onFault }: Options): ReturnType<KibbleLifecycle['beside']> => {
  const close = () => callGame('shutdown of the database', () => database.shutdown?.());
  let ending: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    await kibble.shutdown();
    await close();
  };
  const both = {
    boot: async (): Promise<void> => {
      // What fails here has booted all the same, as far as it came.
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
      // The server does not listen then, and nothing else would end what has booted.
      await both.shutdown().catch((fault) => onFault('a database whose boot is undone did not shut down', fault));
      throw error;
    }
  };
  return { ...both, applyRouterDefaults };
};
