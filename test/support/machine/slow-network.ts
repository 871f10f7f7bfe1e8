import { connect, createServer, type Socket } from 'node:net';

/** A way to a server on which so many bytes a second get back to the client, as on a bad line or in a browser that is busy. */
export const slowNetwork = async (
  serverUrl: string,
  bytesPerSecond: number,
): Promise<{ readonly url: string; stop(): Promise<void> }> => {
  const { hostname, port } = new URL(serverUrl);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const other = connect(Number(port), hostname);
    for (const each of [socket, other]) {
      sockets.add(each);
      each.on('error', () => undefined);
      each.on('close', () => {
        socket.destroy();
        other.destroy();
        sockets.delete(each);
      });
    }
    socket.pipe(other);
    other.on('data', (chunk) => {
      other.pause();
      socket.write(chunk);
      setTimeout(() => other.resume(), (chunk.length / bytesPerSecond) * 1000);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = new URL(serverUrl);
  url.hostname = '127.0.0.1';
  url.port = String(typeof address === 'object' && address ? address.port : 0);
  return {
    url: url.href,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
