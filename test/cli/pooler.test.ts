import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { runKibbleHere } from '../support/game/kibble-command.ts';

/** The settings that PgBouncer takes without `ignore_startup_parameters`. */
const TAKEN = new Set(['user', 'database', 'application_name', 'client_encoding', 'datestyle', 'timezone']);

/** As PgBouncer in session mode: refuses the first setting of a connection that it does not take. */
const pgBouncer = createServer((socket) => {
  socket.on('error', () => undefined);
  socket.once('data', (startup) => {
    // After length and version: names and values by turns.
    const texts = startup.subarray(8).toString().split('\0');
    const setting = texts.find((text, at) => at % 2 === 0 && text !== '' && !TAKEN.has(text.toLowerCase()));
    const fields = `SFATAL\0VFATAL\0C08P01\0Munsupported startup parameter: ${setting}\0\0`;
    const length = Buffer.alloc(4);
    length.writeInt32BE(4 + fields.length);
    socket.end(Buffer.concat([Buffer.from('E'), length, Buffer.from(fields)]));
  });
});

it('names the pooler that refuses the settings of its connections', async () => {
  await once(pgBouncer.listen(0, '127.0.0.1'), 'listening');
  const { port } = pgBouncer.address() as AddressInfo;
  const ran = await runKibbleHere(['migrate'], { DATABASE_URL: `postgres://kibble:kibble@127.0.0.1:${port}/kibble` });
  pgBouncer.close();
  expect(ran).toMatchObject({ code: 1, out: '' });
  expect(ran.err).toMatch(
    /^database\/pooler: a pooler \(PgBouncer\) .* refuses the setting statement_timeout .*itself$/m,
  );
});
