import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** One address before several servers, as simple as possible: without health checks and retries. */
export interface Balancer {
  readonly address: string;
  /** `host:port/name`: goes to that server. Everything else goes to each in turn. */
  publicAddressOf(name: string): string;
  /** Where the server of this name listens from now on. */
  use(name: string, address: string): void;
  /** How many WebSockets each server was given, by name. */
  readonly sockets: ReadonlyMap<string, number>;
  /** From now on nothing from this server reaches clients on existing WebSockets; their messages reach the server. */
  mute(name: string): void;
  close(): Promise<void>;
}

interface Open {
  readonly name: string;
  readonly client: Socket;
  readonly server: Socket;
}

export const startBalancer = async (): Promise<Balancer> => {
  const servers = new Map<string, URL>();
  const sockets = new Map<string, number>();
  const open = new Set<Open>();
  let turn = 0;

  const choose = (url = '/'): { readonly name: string; readonly path: string } => {
    const [, first = '', rest = '/'] = /^\/([^/?]+)(\/.*)$/.exec(url) ?? [];
    if (servers.has(first)) return { name: first, path: rest };
    const names = [...servers.keys()];
    turn += 1;
    return { name: names[turn % names.length] ?? '', path: url };
  };

  const pass = (asked: IncomingMessage, answer: ServerResponse): void => {
    const { name, path } = choose(asked.url);
    const { method, headers } = asked;
    const { hostname, port } = servers.get(name) ?? {};
    const passed = request({ hostname, port, path, method, headers, agent: false }, (reply) => {
      answer.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(answer);
    });
    passed.on('error', () => (answer.headersSent ? answer.destroy() : answer.writeHead(502).end()));
    asked.pipe(passed);
  };

  const upgrade = (asked: IncomingMessage, client: Socket, head: Buffer): void => {
    const { name, path } = choose(asked.url);
    sockets.set(name, (sockets.get(name) ?? 0) + 1);
    const { hostname = '', port = '0' } = servers.get(name) ?? {};
    const server = connect(Number(port), hostname);
    const both = { name, client, server };
    open.add(both);
    const end = (): void => {
      open.delete(both);
      // Data under way still arrives: the last of it says why the connection ended.
      client.destroySoon();
      server.destroySoon();
    };
    for (const socket of [client, server]) socket.on('error', end).on('close', end);
    const lines = asked.rawHeaders.map((text, at) => (at % 2 === 0 ? `${text}: ` : `${text}\r\n`));
    server.write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
    server.write(head);
    client.pipe(server).pipe(client);
  };

  const http = createServer(pass).on('upgrade', upgrade).listen(0, '127.0.0.1');
  await once(http, 'listening');
  const host = `127.0.0.1:${(http.address() as AddressInfo).port}`;
  return {
    address: `http://${host}`,
    publicAddressOf: (name) => `${host}/${name}`,
    use: (name, address) => servers.set(name, new URL(address)),
    sockets,
    mute: (name) => {
      for (const { server, client } of [...open].filter((each) => each.name === name)) {
        server.unpipe(client);
        server.resume();
      }
    },
    close: async () => {
      const closed = once(http, 'close');
      http.close();
      http.closeAllConnections();
      for (const { client, server } of open) for (const socket of [client, server]) socket.destroy();
      await closed;
    },
  };
};
