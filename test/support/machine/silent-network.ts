import { connect, createServer, type Socket } from 'node:net';

export interface SilentNetwork {
  /** The same server, over this network. */
  readonly url: string;
  /** From now on nothing gets through on the connections that there are, and nobody is told; new ones work. */
  fallSilent(): void;
  /** The same, and new ones do not work either, until `restore`. Returns how many connections there were. */
  cut(): number;
  /** New connections work again. Those that there were stay silent. */
  restore(): void;
  stop(): Promise<void>;
}

/** A way to a server on which bytes can get lost without a word, as behind a firewall that forgot its connections. */
export const silentNetwork = async (serverUrl: string): Promise<SilentNetwork> => {
  const { hostname, port } = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((socket) => {
    const other = connect(Number(port), hostname);
    for (const each of [socket, other]) {
      sockets.add(each);
      each.on('error', () => undefined);
      each.on('close', () => sockets.delete(each));
    }
    if (isCut) return;
    socket.pipe(other);
    other.pipe(socket);
  });
  const fallSilent = (): void => {
    for (const socket of sockets) socket.unpipe().resume();
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = new URL(serverUrl);
  url.hostname = '127.0.0.1';
  url.port = String(typeof address === 'object' && address ? address.port : 0);
  return {
    url: url.href,
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
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
