import { type Relay, startRelay } from './relay.ts';

/** A way to a server on which so many bytes a second reach the client, as on a bad line. */
export const slowNetwork = (serverUrl: string, bytesPerSecond: number): Promise<Relay> =>
  startRelay(serverUrl, (client, server) => {
    client.pipe(server);
    server.on('data', (chunk) => {
      server.pause();
      client.write(chunk);
      setTimeout(() => server.resume(), (chunk.length / bytesPerSecond) * 1000);
    });
    server.on('close', () => client.destroy());
  });
