import { connect, createServer, type Socket } from 'node:net';

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
