import { connect, createServer, type Socket } from 'node:net';

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

export interface Relay {
  /** The same server, over this relay. */
  readonly url: string;
  /** Of all connections, two each. */
  readonly sockets: ReadonlySet<Socket>;
  stop(): Promise<void>;
}

/** A way to a server with a relay on it: `join` carries the bytes between a client's socket and the server's. */
export const startRelay = async (serverUrl: string, join: (client: Socket, server: Socket) => void): Promise<Relay> => {
  const { hostname, port } = new URL(serverUrl);
  const sockets = new Set<Socket>();
  const listener = createServer((client) => {
    const server = connect(Number(port), hostname);
    for (const each of [client, server]) {
      sockets.add(each);
      each.on('error', () => undefined);
      each.on('close', () => sockets.delete(each));
    }
    join(client, server);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const address = listener.address();
  const url = new URL(serverUrl);
  url.hostname = '127.0.0.1';
  url.port = String(typeof address === 'object' && address ? address.port : 0);
  return {
    url: url.href,
    sockets,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
};
