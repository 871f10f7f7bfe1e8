// A process with rooms. With REDIS_URL there may be several, and the worker fires; without it, this process does
// everything.
import { defineRoom, defineServer } from '@colyseus/core';
import { WebSocketTransport } from '@colyseus/ws-transport';
import { guardServer } from 'colyseus-kibble';
import { addOpsApi } from 'colyseus-kibble/ops';
import { openTown, settings } from './town.ts';
import { createTownRoom } from './town-room.ts';

const { port, secret, mayorToken } = settings;
const { kibble, pool } = await openTown('gateway');
const server = defineServer({
  rooms: { town: defineRoom(createTownRoom(kibble, secret)) },
  database: kibble.lifecycle,
  transport: new WebSocketTransport(),
  express: (app) =>
    addOpsApi(app, {
      ops: kibble.ops,
      operators: [{ name: 'mayor', role: 'admin', token: mayorToken }],
      path: '/admin/town',
    }),
  greet: false,
});
// Requests and joins of strangers: bounded, and none ends the process.
guardServer(server);
// The town's own shutdown, from the time before Kibble.
server.onShutdown(async () => {
  await pool.end();
  console.log('closed');
});
try {
  await server.listen(port);
  console.log('ready');
} catch (error) {
  // Kibble has ended by then; a process without players must not stay.
  console.error(error);
  process.exit(1);
}
