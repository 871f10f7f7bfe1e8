import { startRelay } from './relay.ts';

export interface SilentNetwork {
  /** The same server, over this network. */
  readonly url: string;
  /** From now on existing connections carry nothing, without an error; new ones work. */
  fallSilent(): void;
  /** The same, and new ones do not work either, until `restore`. Returns how many connections there were. */
  cut(): number;
  /** New connections work again. Those that there were stay silent. */
  restore(): void;
  stop(): Promise<void>;
}

/** A way to a server on which bytes can get lost without a word, as behind a firewall that forgot its connections. */
export const silentNetwork = async (serverUrl: string): Promise<SilentNetwork> => {
  let isCut = false;
  const { url, sockets, stop } = await startRelay(serverUrl, (client, server) => {
    if (isCut) return;
    client.pipe(server);
    server.pipe(client);
  });
  const fallSilent = (): void => {
    for (const socket of sockets) socket.unpipe().resume();
  };
  return {
    url,
    stop,
    fallSilent,
    cut: () => {
      isCut = true;
      fallSilent();
      // Two sockets a connection.
      return sockets.size / 2;
    },
    restore: () => {
      isCut = false;
    },
  };
};
