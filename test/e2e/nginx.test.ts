// The lines for nginx in docs/rolling-restart.md, on an nginx.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findNginx, startNginx } from '../support/machine/nginx.ts';
import { sendRaw, upgradeText } from '../support/machine/raw-http.ts';
import { prove } from '../support/properties/prove.ts';
import { freePort } from '../support/town/packed-town.ts';

const page = readFileSync(path.join(import.meta.dirname, '../../docs/rolling-restart.md'), 'utf8');
const lines = /```nginx\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
const proxied = /```nginx\n(proxy_set_header[\s\S]*?)```/.exec(
  readFileSync(path.join(import.meta.dirname, '../../docs/production.md'), 'utf8'),
)?.[1];
const websocket = /`websocket\.conf`: `([^`]+)`/.exec(page)?.[1] ?? '';

/** A gateway that says its name. */
const startGateway = async (name: string, port: number): Promise<Server> => {
  const gateway = createServer((_request, response) => response.setHeader('connection', 'close').end(name));
  gateway.on('upgrade', (request, socket) => {
    const from = request.headers['x-forwarded-for'];
    socket.end(`HTTP/1.1 101 ${name} ${request.url}\r\nfrom: ${from}\r\n\r\n`);
  });
  await once(gateway.listen(port, '127.0.0.1'), 'listening');
  return gateway;
};

const stop = async (gateway: Server): Promise<void> => {
  gateway.close();
  gateway.closeAllConnections();
  await once(gateway, 'close');
};

const program = findNginx();

describe.skipIf(!program)('two gateways behind nginx, as docs/rolling-restart.md has it', { timeout: 60_000 }, () => {
  const start = async (text: string) => {
    const [port, one, two] = [await freePort(), await freePort(), await freePort()];
    const own = text.replaceAll('10.0.0.1:2567', `127.0.0.1:${one}`).replaceAll('10.0.0.2:2567', `127.0.0.1:${two}`);
    const [upstream = '', ...locations] = own.split('\n');
    const http = `${upstream}\nserver { listen 127.0.0.1:${port};\n${proxied}\n${locations.join('\n')}\n}`;
    const gateways = { one: await startGateway('one', one), two: await startGateway('two', two) };
    const nginx = await startNginx(program ?? '', { http, files: { 'websocket.conf': websocket }, port });
    onTestFinished(async () => {
      await nginx.stop();
      for (const gateway of Object.values(gateways)) if (gateway.listening) await stop(gateway);
    });
    const address = `http://127.0.0.1:${port}`;
    const join = async () => {
      const answer = await fetch(`${address}/matchmake/joinOrCreate/home`, { method: 'POST', body: '{}' });
      return answer.ok ? answer.text() : answer.status;
    };
    return {
      address,
      /** One restarts, and then the other; the server that replies to a join after each step. */
      roll: async () => {
        await stop(gateways.one);
        const withoutOne = [await join(), await join(), await join()];
        gateways.one = await startGateway('one', one);
        await stop(gateways.two);
        return { withoutOne, withoutTwo: [await join(), await join(), await join()] };
      },
    };
  };

  it('lets everybody join while one restarts after the other', async (context) => {
    const { roll } = await start(lines);
    const { withoutOne, withoutTwo } = await roll();
    expect(withoutOne).toEqual(['two', 'two', 'two']);
    expect(withoutTwo).toEqual(['one', 'one', 'one']);
    prove(context, { row: 32, tries: 1, of: 'restarts of gateways behind nginx' });
  });

  it('would let nobody in without max_fails=0: each gateway is out for ten seconds after one failure', async () => {
    const { roll } = await start(lines.replaceAll(' max_fails=0', ''));
    expect((await roll()).withoutTwo).toContain(502);
  });

  it('leads each WebSocket to the gateway that its path names', async () => {
    const { address } = await start(lines);
    const answers = ['/gateway-1/a/b?sessionId=c', '/gateway-2/a/b'].map((at) => sendRaw(address, upgradeText(at)));
    expect((await Promise.all(answers)).map((text) => text.split('\r\n', 1)[0])).toEqual([
      'HTTP/1.1 101 one /a/b?sessionId=c',
      'HTTP/1.1 101 two /a/b',
    ]);
  });
  it('adds the address of a client to what the client says of itself, also for a WebSocket', async () => {
    const { address } = await start(lines);
    const forged = upgradeText('/gateway-1/a').replace('\r\n', '\r\nX-Forwarded-For: 9.9.9.9\r\n');
    expect(await sendRaw(address, forged)).toContain('from: 9.9.9.9, 127.0.0.1');
  });
});
