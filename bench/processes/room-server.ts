// A server in its own process, for rows that measure rooms: `home` is the reference server, `home and village` has
// another module, `bare` is Colyseus with an empty room. Sends its parent its address, and its use on request.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineRoom, defineServer, Room } from '@colyseus/core';
import { WebSocketTransport } from '@colyseus/ws-transport';
import { village } from '../../examples/village.ts';
import { addressOf } from '../../server/reference/bounded-http.ts';
import { openServer } from '../../server/reference/open-server.ts';
import { readConfig } from '../../server/settings/config.ts';
import { createLog } from '../../server/telemetry/log.ts';
import type { ServerUse } from '../game/rooms.ts';

class BareRoom extends Room {
  override messages = { echo: (_client: unknown, message: unknown) => message };
}

const listenBare = async (): Promise<string> => {
  const http = createServer();
  const server = defineServer({
    rooms: { bare: defineRoom(BareRoom) },
    transport: new WebSocketTransport({ server: http }),
    gracefullyShutdown: false,
    greet: false,
  });
  await server.listen(0, '127.0.0.1');
  return addressOf(http, '127.0.0.1');
};

const use = async (): Promise<ServerUse> => {
  // Finalizers run between two collections.
  for (let turn = 0; turn < 3; turn += 1) {
    globalThis.gc?.();
    await sleep(50);
  }
  const { heapUsed, external } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return { memoryBytes: heapUsed + external, cpuMs: (user + system) / 1000 };
};

// Logs only errors.
const log = createLog({ level: 'error', destination: process.stderr });
const beside = process.argv[2] === 'home and village' ? [village] : [];
const address = process.argv[2] === 'bare' ? await listenBare() : (await openServer(readConfig(), log, beside)).address;
process.on('message', async () => process.send?.(await use()));
process.send?.({ address });
await once(process, 'disconnect');
process.exit(0);
