import { connect } from 'node:net';

/** Of a WebSocket's handshake: any sixteen bytes. */
const KEY = 'AAAAAAAAAAAAAAAAAAAAAA==';

/** Sends these very bytes; answers all that came back until the server closed the connection. `isShort` sends no more. */
export const sendRaw = (
  address: string,
  bytes: string | Uint8Array,
  { isShort = false }: { readonly isShort?: boolean } = {},
): Promise<string> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(address);
    const socket = connect(Number(port), hostname, () => (isShort ? socket.end(bytes) : socket.write(bytes)));
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text));
  });

export const requestText = (line: string, headers: Readonly<Record<string, string>> = {}, body = ''): string => {
  const all = {
    Host: 'kibble.test',
    Connection: 'close',
    'Content-Length': String(Buffer.byteLength(body)),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${line} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
};

export const upgradeText = (path: string, headers: Readonly<Record<string, string>> = {}): string =>
  [
    `GET ${path} HTTP/1.1`,
    ...Object.entries({
      Host: 'kibble.test',
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': KEY,
      ...headers,
    }).map(([name, value]) => `${name}: ${value}`),
    '\r\n',
  ].join('\r\n');

export const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
